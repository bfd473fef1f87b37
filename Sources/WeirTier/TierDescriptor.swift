// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirSource

/// What a resource is, as a machine of the fleet has heard of its origin, and when.
struct TierDescriptor: Hashable, Sendable {
    /// How many bytes it takes at most.
    static let mostBytes = 16 << 10

    /// The resource; its validator and length name the version.
    let description: ResourceDescription
    /// When the origin was last heard to have it, in seconds since 1970, by the clock of the machine that heard it.
    let confirmed: Int64
    /// How many seconds later this was written; no clock that is set wrong counts in it.
    var waited: Int64 = 0

    /// As JSON.
    var bytes: [UInt8] {
        let (kind, value) = self.description.validator?.tierText ?? ("", "")
        let form = Form(
            length: self.description.length ?? 0,
            validatorKind: kind,
            validator: value,
            type: self.description.mediaType?.essence,
            name: self.description.name,
            ranges: self.description.acceptsRanges,
            freshness: self.description.cacheDirectives?.freshness?.components.seconds,
            confirmed: self.confirmed,
            waited: self.waited
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // All that is encoded is text, numbers and truth values.
        return (try? encoder.encode(form)).map(Array.init) ?? []
    }

    init(_ description: ResourceDescription, confirmed: Int64, waited: Int64 = 0) {
        self.description = description
        self.confirmed = confirmed
        self.waited = waited
    }

    /// How many seconds ago the origin was heard to have the version, at least.
    ///
    /// What another machine's clock said makes nothing younger: the store tells by its own clock how long ago it was
    /// written, and before that the origin was heard. A writer to the bucket who puts an old descriptor there once more
    /// makes nothing younger, either: the time in it is sealed.
    ///
    /// - Parameters:
    ///   - object: as the store gave it.
    ///   - now: seconds since 1970, by this machine's clock.
    /// - Returns: `nil` where the time lies ahead of a clock, and the store does not tell when it was written.
    func age(in object: StoredObject, at now: Int64) -> Int64? {
        let claimed = now.subtractingClamped(self.confirmed)
        if let age = object.age {
            return max(0, claimed, age.addingClamped(max(0, self.waited)))
        }
        guard claimed >= 0, self.confirmed <= object.date ?? .max else { return nil }
        return claimed
    }

    /// Reads JSON; `nil` for anything else, and where no version is named.
    init?(_ bytes: some Collection<UInt8>) {
        guard let form = try? JSONDecoder().decode(Form.self, from: Data(bytes)),
            let validator = Validator(kind: form.validatorKind, value: form.validator),
            ResourceLength.checked(from: 0, to: form.length) != nil
        else { return nil }
        var description = ResourceDescription(
            length: form.length,
            mediaType: form.type.flatMap(MediaType.init(headerValue:)),
            validator: validator,
            name: form.name.flatMap { FileName.component($0) },
            acceptsRanges: form.ranges
        )
        if let freshness = form.freshness {
            description.cacheDirectives = CacheDirectives(freshness: .seconds(freshness))
        }
        self.init(description, confirmed: form.confirmed, waited: form.waited ?? 0)
    }

    private struct Form: Codable {
        var length: Int64
        var validatorKind: String
        var validator: String
        var type: String?
        var name: String?
        var ranges: Bool?
        var freshness: Int64?
        var confirmed: Int64
        var waited: Int64?
    }
}
