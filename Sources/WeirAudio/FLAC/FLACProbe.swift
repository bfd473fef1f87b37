// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Recognises the frames in a piece of a FLAC stream, for a search.
struct FLACProbe: Sendable {
    /// What STREAMINFO says; frames that say otherwise are none.
    let info: FLACStreamInfo
    /// How many samples a block but the last has, in streams that count frames.
    let blockSize: Int
    /// Whether the number in a header counts samples, whatever the header says.
    let countsSamples: Bool

    /// How many frames without a neighbour are followed through their structure, at most, in a piece.
    private static let maximumFollowed = 16

    private struct Candidate {
        let position: Int
        let header: FLACFrameHeader
        let start: Int64
    }

    /// Where frames start in a piece.
    ///
    /// A header is believed if its CRC-8 fits, it agrees with STREAMINFO, and another one near it bears the following
    /// number or the one before. One by itself is believed if the frame passes as a whole, or ends behind the piece.
    ///
    /// - Parameters:
    ///   - view: the piece.
    ///   - offset: where it is in the stream.
    /// - Returns: the places, ascending.
    func marks(in view: ByteView, at offset: Int64) -> [Bisection.Mark] {
        let candidates = self.candidates(in: view)
        var marks: [Bisection.Mark] = []
        var followed = 0
        for index in candidates.indices {
            let candidate = candidates[index]
            let near = candidates[max(0, index - 3)..<min(candidates.count, index + 4)]
            let next = candidate.start + Int64(candidate.header.blockSize)
            var isBelieved = near.contains { other in
                other.position > candidate.position
                    ? other.start == next
                    : other.start + Int64(other.header.blockSize) == candidate.start
            }
            if !isBelieved, followed < Self.maximumFollowed {
                followed += 1
                let rest = view[candidate.position..<view.count]
                if case .invalid = FLACFrameBody.extent(of: candidate.header, in: rest) {
                    isBelieved = false
                } else {
                    isBelieved = true
                }
            }
            guard isBelieved, marks.last.map({ $0.start.rawValue < candidate.start }) ?? true else {
                continue
            }
            marks.append(
                Bisection.Mark(
                    offset: offset + Int64(candidate.position),
                    start: SampleCount(candidate.start)
                )
            )
        }
        return marks
    }

    private func candidates(in view: ByteView) -> [Candidate] {
        var candidates: [Candidate] = []
        var position = 0
        while let found = view.firstFLACSync(from: position) {
            position = found + 1
            let rest = view[found..<min(view.count, found + FLACFrameHeader.maximumByteCount)]
            guard case .header(let header) = FLACFrameHeader.read(rest, info: self.info),
                header.agrees(with: self.info)
            else { continue }
            let counts = header.isVariable || self.countsSamples
            guard counts || header.blockSize <= self.blockSize else { continue }
            let start = Int64(header.number) * (counts ? 1 : Int64(self.blockSize))
            guard start < self.info.totalSamples ?? .max else { continue }
            candidates.append(Candidate(position: found, header: header, start: start))
        }
        return candidates
    }
}
