// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import WeirAVFoundation
package import WeirSource
package import WeirTestKit

/// A loading request of a test's own that writes down what it is answered.
///
/// It keeps what it is given until ``release()``, as a player that plays.
// Unchecked: everything that changes is in `Watched`.
package final class RecordedRequest: PlayerRequest, @unchecked Sendable {
    /// How a request ended.
    package enum End: Equatable, Sendable {
        /// It has got everything.
        case finished
        /// It has not.
        case failed(LoadingFailure.Bridged)
    }

    /// What came.
    package struct Answer: Sendable {
        /// What the resource was said to be, each time.
        package var information: [ContentInformation] = []
        /// All bytes, in the order in which they came.
        package var bytes: [UInt8] = []
        /// How many came at once at most.
        package var largestPiece = 0
        /// Tells that a piece is let go of, one for each that is kept.
        package var kept: [@Sendable () -> Void] = []
        /// How it ended, each time.
        package var ends: [End] = []
        /// How many bytes had come when the information did.
        package var countBeforeInformation = 0
    }

    private let bytes: LoadingRequestServer.Request.Bytes?
    private let wantsInformation: Bool
    private let allowedTypes: [String]?
    /// What has come so far.
    package let answer = Watched(Answer())

    /// Describes a request.
    package init(
        _ offset: Int64,
        _ length: Int64,
        toTheEnd: Bool = false,
        wantsInformation: Bool = false,
        allowedTypes: [String]? = nil
    ) {
        self.bytes = .init(offset: offset, length: length, toTheEnd: toTheEnd)
        self.wantsInformation = wantsInformation
        self.allowedTypes = allowedTypes
    }

    /// The first request of every player.
    package static func probe() -> RecordedRequest { RecordedRequest(0, 2, wantsInformation: true) }

    /// What is asked for.
    package func described(as id: LoadingRequestServer.RequestID) -> LoadingRequestServer.Request {
        LoadingRequestServer.Request(
            id: id,
            wantsInformation: self.wantsInformation,
            allowedTypes: self.allowedTypes,
            bytes: self.bytes
        )
    }

    /// Writes it down.
    package func fill(_ information: ContentInformation) {
        self.answer.update { answer in
            answer.information.append(information)
            answer.countBeforeInformation = answer.bytes.count
        }
    }

    /// Writes it down.
    package func respond(with bytes: ByteMemory, released: @escaping @Sendable () -> Void) {
        self.answer.update { answer in
            bytes.withUnsafeBytes { answer.bytes.append(contentsOf: $0) }
            answer.largestPiece = max(answer.largestPiece, bytes.count)
            answer.kept.append(released)
        }
    }

    /// Writes it down.
    package func finish() { self.answer.update { $0.ends.append(.finished) } }

    /// Writes it down.
    package func finish(with failure: LoadingFailure) {
        self.answer.update { $0.ends.append(.failed(failure.bridged)) }
    }

    /// Lets go of everything that was given.
    package func release() {
        let kept = self.answer.update { answer in
            defer { answer.kept = [] }
            return answer.kept
        }
        for released in kept { released() }
    }

    /// Returns when the request has ended.
    ///
    /// - Throws: `CancellationError`.
    package func waitForEnd() async throws {
        try await self.answer.wait { !$0.ends.isEmpty }
    }

    /// Returns when this many bytes have come.
    ///
    /// - Throws: `CancellationError`.
    package func waitForBytes(_ count: Int) async throws {
        try await self.answer.wait { $0.bytes.count >= count }
    }
}

extension AssetLoader {
    /// A loader on a queue of its own.
    package static func over(
        _ source: any ByteSource,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> AssetLoader {
        AssetLoader(source, queue: DelegateQueue(label: "test"), clock: clock)
    }

    /// What a player does, from elsewhere.
    package nonisolated func ask(_ request: RecordedRequest) {
        // The actor's executor is this queue, so what runs on the queue is isolated to the actor.
        self.queue.queue.async { self.assumeIsolated { $0.add(request) } }
    }

    /// What a player does, from elsewhere.
    package nonisolated func cancel(_ request: RecordedRequest) {
        self.queue.queue.async {
            // As above: the queue is the actor's executor.
            self.assumeIsolated { $0.cancel { ($0 as? RecordedRequest) === request } }
        }
    }
}
