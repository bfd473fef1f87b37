// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// One generation of a resource, with everything that decryption needs.
struct OpenedResource: Sendable {
    /// The base's description of the resource.
    let stored: ResourceDescription
    /// The description for readers.
    let plain: ResourceDescription
    let layout: StoredLayout
    let cipher: any UnitCipher

    /// Creates an opened resource.
    ///
    /// - Parameters:
    ///   - stored: the base's description.
    ///   - layout: the positions of the bytes.
    ///   - cipher: decrypts the bytes.
    ///   - fingerprint: differs if another key or format produces other plain bytes from the same
    ///     stored ones, so that a player does not join plain bytes of two keys.
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
        plain.name = stored.name.map(Self.plainName)
        // The entity tag belongs to the stored bytes. It does not distinguish the plain bytes of
        // different keys, so a front end must not use it for them.
        if case .entityTag(let tag) = stored.validator {
            plain.validator = .revision("\(tag) decrypted \(String(fingerprint, radix: 16))")
        }
        plain.generation = stored.generation.map {
            GenerationID(rawValue: $0.rawValue ^ fingerprint)
        }
        self.plain = plain
    }

    /// The name without an extension that only means "encrypted": `film.mp4.age` becomes
    /// `film.mp4`.
    static func plainName(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex,
            Self.cipherExtensions.contains(name[name.index(after: dot)...].lowercased())
        else { return name }
        return String(name[..<dot])
    }

    private static let cipherExtensions: Set<String> = [
        "age", "aes", "enc", "crypt", "encrypted", "cipher",
    ]

    /// The identity of the generation.
    var identity: ResourceIdentity? { ResourceIdentity(self.stored) }

    /// Whether a description of the stored resource belongs to this generation.
    ///
    /// Without an identity only the length is compared, and a change with the same length is not
    /// detected.
    func isOf(_ description: ResourceDescription?) -> Bool {
        guard let description else { return false }
        return self.identity == ResourceIdentity(description)
            && self.stored.length == description.length
    }

    /// Checks that the resource is the version that a reader wants.
    ///
    /// - Throws: `SourceError` with `changed`.
    func check(_ version: ReadDemand.Version?) throws(SourceError) {
        guard let version, !version.agrees(with: self.plain) else { return }
        throw CipherSource.changed
    }
}

/// The generation that was opened last; notifies its listeners of changes.
final class LastOpened: Sendable {
    private typealias Listener = @Sendable (OpenedResource?) -> Void

    private let state = Mutex<(last: OpenedResource?, lastNumber: Int, listeners: [Int: Listener])>(
        (nil, 0, [:])
    )

    /// The generation; `nil` if it must be opened again.
    var last: OpenedResource? {
        get { self.state.withLock { $0.last } }
        set {
            let listeners = self.state.withLock { state in
                state.last = newValue
                return Array(state.listeners.values)
            }
            for listener in listeners { listener(newValue) }
        }
    }

    /// Calls a closure whenever a generation has been opened, or must be opened again.
    ///
    /// - Returns: the number for ``leave(_:)``.
    func listen(_ listener: @escaping @Sendable (OpenedResource?) -> Void) -> Int {
        self.state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = listener
            return state.lastNumber
        }
    }

    /// Stops calling the closure with this number.
    func leave(_ number: Int) {
        self.state.withLock { $0.listeners[number] = nil }
    }
}
