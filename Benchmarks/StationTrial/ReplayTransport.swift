// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio
import WeirLive
import WeirSource

/// A station that sends the same file over and over, in pieces, at a steady pace.
final class ReplayTransport: StationTransport {
    let display = "trial"
    private let file: [UInt8]
    private let pieceCount: Int
    private let (ended, end) = AsyncStream.makeStream(of: Void.self)

    /// Creates a station that is silent until a listener connects.
    ///
    /// - Parameters:
    ///   - file: the bytes to send.
    ///   - pieceCount: how many pieces the station sends before it stays silent.
    init(_ file: [UInt8], pieceCount: Int) {
        self.file = file
        self.pieceCount = pieceCount
    }

    /// Returns when all pieces have been read.
    func waitForEnd() async {
        for await _ in self.ended {}
    }

    func connect(to target: StationTarget) async throws -> StationAnswer {
        StationAnswer(
            fields: [],
            mediaType: nil,
            display: self.display,
            body: Body(self.file, count: self.pieceCount, end: self.end)
        )
    }

    private final class Body: StationBody {
        private static let size = 1436
        private let file: [UInt8]
        private let count: Int
        private let end: AsyncStream<Void>.Continuation
        private let number = Mutex(0)
        private let start = ContinuousClock().now

        init(_ file: [UInt8], count: Int, end: AsyncStream<Void>.Continuation) {
            self.file = file
            self.count = count
            self.end = end
        }

        func next() async throws -> ByteMemory? {
            let number = self.number.withLock { number in
                defer { number += 1 }
                return number
            }
            try await ContinuousClock().sleep(until: self.start + .milliseconds(5) * number)
            guard number < self.count else {
                self.end.finish()
                try await ContinuousClock().sleep(for: .seconds(1000))
                return nil
            }
            let first = number * Self.size
            return ByteMemory((first..<first + Self.size).map { self.file[$0 % self.file.count] })
        }

        func cancel() {
            self.end.finish()
        }
    }
}
