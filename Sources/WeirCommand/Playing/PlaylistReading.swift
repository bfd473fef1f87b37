// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirAudio
import WeirLive
import WeirSource

/// Reads lists of what to play.
enum PlaylistReading {
    /// The bytes of a list, as many as one may have and one more.
    ///
    /// - Throws: `SourceError`, `CancellationError`.
    static func bytes(of media: Media) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        let most = Int64(WeirAudio.Playlist.maximumByteCount) + 1
        for try await chunk in try await media.read(.span(0..<most)) {
            try chunk.memory().withUnsafeBytes { bytes.append(contentsOf: $0) }
            if bytes.count >= most { break }
        }
        return bytes
    }

    /// What a list says.
    ///
    /// - Parameters:
    ///   - bytes: all of it.
    ///   - display: how it is called in sentences; ends with its name.
    /// - Returns: the list; one that only its name tells to be M3U is lines of files.
    /// - Throws: ``CommandError`` with `content`.
    static func parse(_ bytes: [UInt8], of display: String) throws -> WeirAudio.Playlist {
        do {
            return try WeirAudio.Playlist(ByteMemory(bytes))
        } catch {
            let name = display.lowercased()
            if error.code == .unrecognized, name.hasSuffix(".m3u") || name.hasSuffix(".m3u8"),
                !bytes.contains(0),
                let list = try? WeirAudio.Playlist(ByteMemory(bytes), kind: .m3u)
            {
                return list
            }
            throw CommandError(.content, "\(display): \(error)")
        }
    }
}

extension AnsweredLine {
    /// The bytes of an answer that is a list; the answer is used up.
    ///
    /// - Throws: `SourceError`, `CancellationError`.
    func beginning() async throws -> [UInt8] {
        let answer = try await self.connect(to: .station)
        defer { answer.body.cancel() }
        var bytes: [UInt8] = []
        while bytes.count <= WeirAudio.Playlist.maximumByteCount,
            let piece = try await answer.body.next()
        {
            piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        return bytes
    }
}

extension URLInquiry.Answer {
    /// What an answer's head says.
    init(_ answer: StationAnswer) {
        let names = answer.fields.map { $0.0.lowercased() }
        self.init(
            mediaType: answer.mediaType.flatMap { MediaType(headerValue: $0) },
            hasLength: names.contains("content-length"),
            isStation: names.contains { $0.hasPrefix("icy-") || $0.hasPrefix("ice-") }
        )
    }
}
