// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirSource

/// The description of a resource that a machine of the fleet received from its origin, and the
/// time.
struct TierDescriptor: Hashable, Sendable {
    /// The maximum size in bytes.
    static let mostBytes = 16 << 10

    /// The resource; its validator and length name the version.
    let description: ResourceDescription
    /// When the origin last confirmed it, in seconds since 1970, by the clock of the machine that
    /// asked.
    let confirmed: Int64
    /// How many seconds after ``confirmed`` the descriptor was written; not measured by the time of
    /// day.
    var waited: Int64 = 0

    /// The descriptor as JSON.
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
        // All encoded values are texts, numbers and flags.
        return (try? encoder.encode(form)).map(Array.init) ?? []
    }

    init(_ description: ResourceDescription, confirmed: Int64, waited: Int64 = 0) {
        self.description = description
        self.confirmed = confirmed
        self.waited = waited
    }

    /// How many seconds ago the origin confirmed the version; at least as many as the store's clock
    /// shows.
    ///
    /// A wrong clock of another machine cannot make a descriptor look younger. The store reports by
    /// its own clock how long ago the object was written, and the confirmation came before that. An
    /// old descriptor that is put into the bucket again does not look younger either: the time in
    /// it is sealed.
    ///
    /// - Parameters:
    ///   - object: the object from the store.
    ///   - now: seconds since 1970, by this machine's clock.
    /// - Returns: `nil` if the store does not report when the object was written, and ``confirmed``
    ///   is in the future by this machine's clock or the store's.
    func age(in object: StoredObject, at now: Int64) -> Int64? {
        let claimed = now.subtractingClamped(self.confirmed)
        if let age = object.age {
            return max(0, claimed, age.addingClamped(max(0, self.waited)))
        }
        guard claimed >= 0, self.confirmed <= object.date ?? .max else { return nil }
        return claimed
    }

    /// Reads JSON; `nil` for any other content, and without a version.
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
