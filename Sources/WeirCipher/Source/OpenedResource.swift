// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// One generation of a resource, once it is known how to decrypt it.
struct OpenedResource: Sendable {
    /// What the resource is by the base.
    let stored: ResourceDescription
    /// What the resource is for readers.
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
        plain.name = stored.name.map(Self.plainName)
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

    /// The name without an extension that says nothing but that the file is encrypted: `film.mp4.age` is `film.mp4`.
    static func plainName(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex,
            Self.cipherExtensions.contains(name[name.index(after: dot)...].lowercased())
        else { return name }
        return String(name[..<dot])
    }

    private static let cipherExtensions: Set<String> = [
        "age", "aes", "enc", "crypt", "encrypted", "cipher",
    ]

    /// What the generation is known by.
    var identity: ResourceIdentity? { ResourceIdentity(self.stored) }

    /// Whether a description of the stored resource is of this generation.
    ///
    /// Without an identity the length alone decides, and a change that leaves the length is not noticed.
    func isOf(_ description: ResourceDescription?) -> Bool {
        guard let description else { return false }
        return self.identity == ResourceIdentity(description)
            && self.stored.length == description.length
    }

    /// Holds a reader to what it wants.
    ///
    /// - Throws: `SourceError` with `changed`.
    func check(_ version: ReadDemand.Version?) throws(SourceError) {
        guard let version, !version.agrees(with: self.plain) else { return }
        throw CipherSource.changed
    }
}

/// The generation that was opened last; tells its listeners when that changes.
final class LastOpened: Sendable {
    private typealias Listener = @Sendable (OpenedResource?) -> Void

    private let state = Mutex<(last: OpenedResource?, lastNumber: Int, listeners: [Int: Listener])>(
        (nil, 0, [:])
    )

    /// The generation; `nil` if it must be opened anew.
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

    /// Has a closure called whenever a generation has been opened, or must be opened anew.
    ///
    /// - Returns: what ``leave(_:)`` takes.
    func listen(_ listener: @escaping @Sendable (OpenedResource?) -> Void) -> Int {
        self.state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = listener
            return state.lastNumber
        }
    }

    /// Ends the calls.
    func leave(_ number: Int) {
        self.state.withLock { $0.listeners[number] = nil }
    }
}
