// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The bytes of an answer: texts and parts of files, one after the other.
struct ServerBody: Sendable {
    enum Piece: Sendable {
        case bytes([UInt8])
        case part(ServedContent, Range<Int64>)

        var length: Int64 {
            switch self {
            case .bytes(let bytes): Int64(bytes.count)
            case .part(_, let range): range.upperBound - range.lowerBound
            }
        }
    }

    private(set) var pieces: [Piece] = []

    init(_ pieces: [Piece] = []) { self.pieces = pieces.filter { $0.length > 0 } }

    init(_ text: String) { self.init([.bytes(Array(text.utf8))]) }

    /// How many bytes are left.
    var length: Int64 { self.pieces.reduce(0) { $0 + $1.length } }

    /// All bytes; for answers that are known to be short.
    var bytes: [UInt8] {
        var (rest, bytes) = (self, [UInt8]())
        while let next = rest.take(upTo: 65_536), !next.isEmpty { bytes += next }
        return bytes
    }

    /// Takes the next bytes off the front.
    ///
    /// - Parameter limit: the most bytes to take; above 0.
    /// - Returns: `nil` at the end; fewer bytes than the body promised, or none, if a file has become shorter.
    mutating func take(upTo limit: Int) -> [UInt8]? {
        guard let first = self.pieces.first else { return nil }
        let count = min(Int64(limit), first.length)
        let isUsedUp = count == first.length
        switch first {
        case .bytes(let bytes):
            if isUsedUp {
                self.pieces.removeFirst()
            } else {
                self.pieces[0] = .bytes(Array(bytes.dropFirst(Int(count))))
            }
            return Array(bytes.prefix(Int(count)))
        case .part(let content, let range):
            let cut = range.lowerBound + count
            if isUsedUp {
                self.pieces.removeFirst()
            } else {
                self.pieces[0] = .part(content, cut..<range.upperBound)
            }
            return content.bytes(in: range.lowerBound..<cut)
        }
    }
}
