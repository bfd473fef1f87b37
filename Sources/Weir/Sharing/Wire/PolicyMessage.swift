// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLoader

/// A policy on the wire; times in seconds.
struct PolicyMessage: Codable, Hashable, Sendable {
    private enum Keep: Codable, Hashable {
        case played
        case whole
        case first(Int64)
    }

    private enum Revalidate: Codable, Hashable {
        case always
        case after(Double)
        case never
    }

    private enum Gone: String, Codable, Hashable {
        case serve
        case refuseUnauthorized
        case refuse
    }

    private var keep: Keep
    private var revalidation: Revalidate
    private var readAhead: Int64
    private var reach: Int64
    private var maximumFetches: Int
    private var linger: Double
    private var maximumChunk: Int64
    private var isImmutable: Bool
    private var storesForbidden: Bool?
    private var heedsFreshness: Bool?
    private var whenGone: Gone?

    init(_ policy: LoadPolicy) {
        self.keep =
            switch policy.keep {
            case .played: .played
            case .whole: .whole
            case .first(let count): .first(count)
            }
        self.revalidation =
            switch policy.revalidation {
            case .always: .always
            case .after(let time): .after(time / .seconds(1))
            case .never: .never
            }
        self.readAhead = policy.readAhead
        self.reach = policy.reach
        self.maximumFetches = policy.maximumFetches
        self.linger = policy.linger / .seconds(1)
        self.maximumChunk = policy.maximumChunk
        self.isImmutable = policy.isImmutable
        self.storesForbidden = policy.storesForbidden
        self.heedsFreshness = policy.heedsFreshness
        self.whenGone =
            switch policy.whenGone {
            case .serve: .serve
            case .refuseUnauthorized: .refuseUnauthorized
            case .refuse: .refuse
            case nil: nil
            }
    }

    /// The policy, each value within what can be meant.
    var policy: LoadPolicy {
        let keep: KeepPolicy =
            switch self.keep {
            case .played: .played
            case .whole: .whole
            case .first(let count): .first(max(0, count))
            }
        let revalidation: Revalidation =
            switch self.revalidation {
            case .always: .always
            case .after(let seconds): .after(Self.time(seconds))
            case .never: .never
            }
        return LoadPolicy(
            keep: keep,
            readAhead: min(self.readAhead, 1 << 40),
            reach: min(self.reach, 1 << 40),
            maximumFetches: min(self.maximumFetches, 64),
            linger: Self.time(self.linger),
            maximumChunk: min(self.maximumChunk, 1 << 30),
            revalidation: revalidation,
            isImmutable: self.isImmutable,
            storesForbidden: self.storesForbidden ?? false,
            heedsFreshness: self.heedsFreshness ?? true,
            whenGone: self.gone
        )
    }

    private var gone: WhenGone? {
        switch self.whenGone {
        case .serve: .serve
        case .refuseUnauthorized: .refuseUnauthorized
        case .refuse: .refuse
        case nil: nil
        }
    }

    private static func time(_ seconds: Double) -> Duration {
        .seconds(seconds.isFinite ? min(max(0, seconds), 1e9) : 0)
    }
}
