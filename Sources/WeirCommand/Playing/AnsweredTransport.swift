// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
import WeirLive
import WeirSource

/// A transport whose first answer has come already: it is handed on, so that no station is asked twice.
final class AnsweredTransport: StationTransport {
    let display: String
    private let transport: any StationTransport
    private let answer: Mutex<StationAnswer?>

    init(_ transport: any StationTransport, answer: StationAnswer) {
        self.display = transport.display
        self.transport = transport
        self.answer = Mutex(answer)
    }

    func connect(to target: StationTarget) async throws -> StationAnswer {
        if target == .station, let answer = self.take() { return answer }
        return try await self.transport.connect(to: target)
    }

    /// Ends the answer that was not taken.
    func abandon() { self.take()?.body.cancel() }

    /// The bytes of an answer that is a playlist; the answer is used up.
    ///
    /// - Throws: `SourceError`, `CancellationError`.
    func beginning() async throws -> [UInt8] {
        let answer = try await self.connect(to: .station)
        defer { answer.body.cancel() }
        var bytes: [UInt8] = []
        while bytes.count <= Playlist.maximumByteCount, let piece = try await answer.body.next() {
            piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    private func take() -> StationAnswer? {
        self.answer.withLock { answer in
            defer { answer = nil }
            return answer
        }
    }
}
