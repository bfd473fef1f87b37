// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirHTTP
package import WeirSource

/// Keeps the location of one file of a service, shares it between all readers, and gets the next one ahead of its end.
///
/// One request for any number of readers. While bytes flow, a location is renewed a fifth of its life before its end
/// (five minutes at most), so that a player that goes on from one to the next does not wait.
package final class CloudLocator: OriginLocator {
    private struct Held: Sendable {
        var location: OriginLocation
        /// Since the timeline's start; `nil`: until refused.
        var end: Duration?
        var renewal: Duration?
    }

    private struct State {
        var serial = 0
        var held: Held?
        /// When it is looked at again whether to renew, so that a failure is not repeated with every chunk.
        var nextRenewal: Duration?
        /// Why the service is not asked for a while, and until when.
        var refusal: (error: SourceError, end: Duration)?
        /// Whether bytes have come since the last refusal of the credential.
        var isAccepted = false
    }

    /// How long a file is not asked for whose credential was refused: servers count that.
    private static let pause = Duration.seconds(60)

    /// How the file is called.
    package let resource: ResourceName

    private let service: any CloudService
    private let path: FolderPath
    private let timeline: Timeline
    private let observer: SourceObserver?
    private let shared = Shared<Held>()
    private let state = Mutex(State())

    /// The locator of a file.
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

    /// Yes: a service's own words decide.
    package var rulesOnRefusals: Bool { true }

    /// The location that is held, while it holds.
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

    /// What the service says of the file, if that pins its bytes; always asked anew, and the location that comes with
    /// it is kept.
    package func describe() async throws -> ResourceDescription? {
        guard self.service.describesBytes else { return nil }
        let held = try await self.shared.value(
            isGood: { _ in false },
            make: { try await self.fetch(.whole, after: nil) }
        )
        return held.location.resource
    }

    /// What the service reads out of a refusal.
    ///
    /// A credential that it finally refused is not sent again for this file within a minute. One that it took before is
    /// sent once more: some servers lose a session, or ask only one of their own behind a balancer that does not know it.
    package func ruling(on refusal: OriginRefusal) async -> RefusalRuling {
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

    /// Whether its time is over, or another one has come.
    package func hasEnded(_ location: OriginLocation) -> Bool {
        guard !self.service.locatesEachRequest, let held = self.state.withLock({ $0.held }) else {
            return false
        }
        return held.location.serial > location.serial || !self.isGood(held, after: nil)
    }

    /// Notes that the credential is taken, and gets the next location if it is time.
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
        // Owned by the shared work, which it starts; ends at once.
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
                // A request takes a moment to arrive.
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
