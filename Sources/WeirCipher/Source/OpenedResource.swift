// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// One generation of a resource, once it is known how to decrypt it.
struct OpenedResource: Sendable {
    /// What the base says it is.
    let stored: ResourceDescription
    /// What readers are told.
    let plain: ResourceDescription
    let layout: StoredLayout
    let cipher: any UnitCipher

    /// Describes what was opened.
    ///
    /// - Parameters:
    ///   - stored: what the base says.
    ///   - layout: where the bytes lie.
    ///   - cipher: how they are decrypted.
    ///   - fingerprint: differs where another key or format would make other bytes of the same stored ones, so that no
    ///     player joins what it has of the one with the other.
    init(
        _ stored: ResourceDescription,
        _ layout: StoredLayout,
        _ cipher: any UnitCipher,
        fingerprint: UInt64
    ) {
        self.stored = stored
        self.layout = layout
        self.cipher = cipher
        var plain = stored
        plain.length = layout.plainLength
        plain.name = stored.name.map(PlainName.of)
        // The entity tag is that of the stored bytes: it says nothing of another key's plain ones, and no front end may
        // pass it on for them.
        if case .entityTag(let tag) = stored.validator {
            plain.validator = .revision("\(tag) decrypted \(String(fingerprint, radix: 16))")
        }
        plain.generation = stored.generation.map {
            GenerationID(rawValue: $0.rawValue ^ fingerprint)
        }
        self.plain = plain
    }

    /// What the generation is known by.
    var identity: ResourceIdentity? { ResourceIdentity(self.stored) }

    /// Whether a description of the stored resource is of this generation, as far as anybody can tell: one that has no
    /// identity is told by its length alone, and a change that leaves the length is not noticed.
    func isOf(_ description: ResourceDescription?) -> Bool {
        guard let description else { return false }
        return self.identity == ResourceIdentity(description)
            && self.stored.length == description.length
    }

    /// Holds a reader to what it wants.
    ///
    /// - Throws: `SourceError` with `changed`.
    func check(_ pin: ReadDemand.Pin?) throws(SourceError) {
        guard let pin, !pin.agrees(with: self.plain) else { return }
        throw CipherSource.changed
    }
}
