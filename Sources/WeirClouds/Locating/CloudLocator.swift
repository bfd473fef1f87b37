// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirHTTP
package import WeirSource

/// Keeps the location of a file of a service, shares it between readers, and renews it before it
/// expires.
///
/// All readers share one request. While bytes flow, the locator renews a location when a fifth of
/// its lifetime is left, or five minutes if that is less. So a player does not wait between two
/// locations.
package final class CloudLocator: OriginLocator {
    private struct Held: Sendable {
        var location: OriginLocation
        /// The time on the timeline at which the location expires; `nil` if it is valid until
        /// refused.
        var end: Duration?
        var renewal: Duration?
    }

    private struct State {
        var serial = 0
        var held: Held?
        /// The next time to consider a renewal, so that a failure is not repeated with every chunk.
        var nextRenewal: Duration?
        /// Why, and until when, the service gets no request.
        var refusal: (error: SourceError, end: Duration)?
        /// Whether bytes have arrived since the last refusal of the credential.
        var isAccepted = false
    }

    /// How long the locator sends no request for a file after its credential was refused: servers
    /// count refusals.
    private static let pause = Duration.seconds(60)

    /// The file's name.
    package let resource: ResourceName

    private let service: any CloudService
    private let path: FolderPath
    private let timeline: Timeline
    private let observer: SourceObserver?
    private let shared = Shared<Held>()
    private let state = Mutex(State())

    /// Creates a locator for a file.
    package init(
        _ service: any CloudService,
        path: FolderPath,
        clock: any Clock<Duration> = ContinuousClock(),
        observer: SourceObserver? = nil
    ) {
        self.service = service
        self.path = path.asFile
        self.timeline = Timeline(clock)
        self.observer = observer
        self.resource = ResourceName(
            display: service.displayName(of: path),
            authority: service.authority,
            fileName: path.name
        )
    }

    /// `true`: the service decides what a refusal means.
    package var rulesOnRefusals: Bool { true }

    /// The kept location, while it is valid; else a new one.
    package func location(for range: RequestedRange, after refused: OriginLocation?) async throws
        -> OriginLocation
    {
        let now = self.timeline.elapsed()
        if let refusal = self.state.withLock({ $0.refusal }), now < refusal.end {
            throw refusal.error
        }
        if self.service.locatesEachRequest {
            return try await self.service.locate(self.path, range: range, after: refused).location
        }
        if let held = self.state.withLock({ $0.held }), self.isGood(held, after: refused) {
            self.renewIfDue()
            return held.location
        }
        let held = try await self.shared.value(
            isGood: { self.isGood($0, after: refused) },
            make: { try await self.fetch(range, after: refused) }
        )
        return held.location
    }

    /// The service's description of the file, if it identifies the bytes.
    ///
    /// Every call asks the service, and keeps the location of its response.
    package func describe() async throws -> ResourceDescription? {
        guard self.service.describesBytes else { return nil }
        let held = try await self.shared.value(
            isGood: { _ in false },
            make: { try await self.fetch(.whole, after: nil) }
        )
        return held.location.resource
    }

    /// The service's ruling on a refusal.
    ///
    /// After a final refusal the locator does not send the credential for this file again for a
    /// minute. A credential that was accepted before is sent once more. Some servers lose a
    /// session, and a load balancer may choose a server that does not know the session.
    package func ruling(on refusal: OriginFailure) async -> FailureRuling {
        let ruling = await self.service.ruling(on: refusal, about: self.path)
        if case .refused(let error) = ruling, error.code == .unauthorized {
            let wasAccepted = self.state.withLock { state in
                defer { state.isAccepted = false }
                return state.isAccepted
            }
            if wasAccepted, refusal.status == 401, refusal.repetition == 1 {
                return .locateAnew(otherwise: error)
            }
            let end = self.timeline.elapsed() + Self.pause
            self.state.withLock { $0.refusal = (error, end) }
        }
        return ruling
    }

    /// Whether the location has expired or been replaced.
    package func hasEnded(_ location: OriginLocation) -> Bool {
        guard !self.service.locatesEachRequest, let held = self.state.withLock({ $0.held }) else {
            return false
        }
        return held.location.serial > location.serial || !self.isGood(held, after: nil)
    }

    /// Records that the credential is accepted, and renews the location if that is due.
    package func bytesFlow() {
        self.state.withLock { $0.isAccepted = true }
        self.renewIfDue()
    }

    private func renewIfDue() {
        let now = self.timeline.elapsed()
        let isDue = self.state.withLock { state in
            guard let renewal = state.nextRenewal, now >= renewal else { return false }
            state.nextRenewal = now + .seconds(1)
            return true
        }
        guard isDue else { return }
        // `shared` owns the renewal that this task starts. The task itself ends at once.
        Task { [self] in
            await self.shared.renew { try await self.fetch(.whole, after: nil) }
        }
    }

    private func isGood(_ held: Held, after refused: OriginLocation?) -> Bool {
        if let refused, refused.serial >= held.location.serial { return false }
        guard let end = held.end else { return true }
        return self.timeline.elapsed() < end
    }

    private func fetch(_ range: RequestedRange, after refused: OriginLocation?) async throws
        -> Held
    {
        let start = self.timeline.elapsed()
        let found = try await self.service.locate(self.path, range: range, after: refused)
        let (held, isFirst) = self.state.withLock { state -> (Held, Bool) in
            state.serial += 1
            var held = Held(location: found.location)
            held.location.serial = state.serial
            switch found.validity {
            case .untilRefused:
                break
            case .lifetime(let life):
                let life = max(life, .zero)
                // Leaves time for a request to arrive.
                held.end = start + life - min(.seconds(2), life / 10)
                held.renewal = start + life - min(.seconds(300), life / 5)
            }
            state.held = held
            state.nextRenewal = held.renewal
            return (held, state.serial == 1)
        }
        if !isFirst, held.renewal != nil {
            self.observer?(.linkRenewed(host: held.location.url.authority))
        }
        return held
    }
}
