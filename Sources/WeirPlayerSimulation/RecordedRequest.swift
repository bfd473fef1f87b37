// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import WeirAVFoundation
package import WeirSource
package import WeirTestKit

/// A loading request for tests that records the answers.
///
/// It keeps the received bytes until ``release()``, as a playing player does.
// Unchecked: all mutable state is in `Watched`.
package final class RecordedRequest: PlayerRequest, @unchecked Sendable {
    /// How a request ended.
    package enum End: Equatable, Sendable {
        /// It has received all bytes.
        case finished
        /// It has failed.
        case failed(LoadingFailure.Bridged)
    }

    /// The recorded answers.
    package struct Answer: Sendable {
        /// The information about the resource, each time.
        package var information: [ContentInformation] = []
        /// All bytes, in the order of their arrival.
        package var bytes: [UInt8] = []
        /// The size of the largest piece.
        package var largestPiece = 0
        /// The release callbacks, one for each kept piece.
        package var kept: [@Sendable () -> Void] = []
        /// Every end of the request; a correct loader ends it once.
        package var ends: [End] = []
        /// How many bytes had arrived before the information.
        package var countBeforeInformation = 0
    }

    private let bytes: LoadingRequestServer.Request.Bytes?
    private let wantsInformation: Bool
    private let allowedTypes: [String]?
    /// The answers so far.
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

    /// The request for the server.
    package func described(as id: LoadingRequestServer.RequestID) -> LoadingRequestServer.Request {
        LoadingRequestServer.Request(
            id: id,
            wantsInformation: self.wantsInformation,
            allowedTypes: self.allowedTypes,
            bytes: self.bytes
        )
    }

    /// Records the information.
    package func fill(_ information: ContentInformation) {
        self.answer.update { answer in
            answer.information.append(information)
            answer.countBeforeInformation = answer.bytes.count
        }
    }

    /// Records the bytes.
    package func respond(with bytes: ByteMemory, released: @escaping @Sendable () -> Void) {
        self.answer.update { answer in
            bytes.withUnsafeBytes { answer.bytes.append(contentsOf: $0) }
            answer.largestPiece = max(answer.largestPiece, bytes.count)
            answer.kept.append(released)
        }
    }

    /// Records the finish.
    package func finish() { self.answer.update { $0.ends.append(.finished) } }

    /// Records the failure.
    package func finish(with failure: LoadingFailure) {
        self.answer.update { $0.ends.append(.failed(failure.bridged)) }
    }

    /// Releases all received bytes.
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

    /// Returns when this many bytes have arrived.
    ///
    /// - Throws: `CancellationError`.
    package func waitForBytes(_ count: Int) async throws {
        try await self.answer.wait { $0.bytes.count >= count }
    }
}

extension AssetLoader {
    /// A loader with a queue of its own.
    package static func over(
        _ source: any ByteSource,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> AssetLoader {
        AssetLoader(source, queue: DelegateQueue(label: "test"), clock: clock)
    }

    /// Makes a request as a player does, from another thread.
    package nonisolated func ask(_ request: RecordedRequest) {
        // The actor's executor is this queue, so code on the queue is isolated to the actor.
        self.queue.queue.async { self.assumeIsolated { $0.add(request) } }
    }

    /// Cancels a request as a player does, from another thread.
    package nonisolated func cancel(_ request: RecordedRequest) {
        self.queue.queue.async {
            // As above: the queue is the actor's executor.
            self.assumeIsolated { $0.cancel { ($0 as? RecordedRequest) === request } }
        }
    }
}
