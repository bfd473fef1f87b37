// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The kind of a text that a user gives as a key, detected by its first characters.
enum KeyKind: Hashable, Sendable {
    /// `AGE-SECRET-KEY-1…`, as `age-keygen` writes it.
    case ageIdentity
    /// `AGE-PLUGIN-NAME-1…`; the value is the name in lower case, `nil` if the name is invalid.
    case agePlugin(String?)
    /// A private key of SSH, OpenSSL or PuTTY.
    case privateKey
    /// A public key of SSH.
    case sshPublicKey
    /// A key or a message of OpenPGP.
    case openPGP

    /// The beginnings of lines for each kind, in any case.
    private static let starts: [(start: StaticString, kind: KeyKind)] = [
        ("AGE-SECRET-KEY-1", .ageIdentity),
        ("-----BEGIN PGP ", .openPGP),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", .privateKey),
        ("-----BEGIN RSA PRIVATE KEY-----", .privateKey),
        ("-----BEGIN DSA PRIVATE KEY-----", .privateKey),
        ("-----BEGIN EC PRIVATE KEY-----", .privateKey),
        ("-----BEGIN PRIVATE KEY-----", .privateKey),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----", .privateKey),
        ("PuTTY-User-Key-File-", .privateKey),
        ("ssh-ed25519 AAAA", .sshPublicKey),
        ("ssh-rsa AAAA", .sshPublicKey),
        ("ssh-dss AAAA", .sshPublicKey),
        ("ecdsa-sha2-nistp", .sshPublicKey),
        ("sk-ssh-ed25519@", .sshPublicKey),
        ("sk-ecdsa-sha2-", .sshPublicKey),
        ("---- BEGIN SSH2 PUBLIC KEY ----", .sshPublicKey),
    ]

    /// The kind of a line; copies nothing from it except a plugin's name.
    ///
    /// - Parameter line: the line without its line feed.
    init?(_ line: Slice<UnsafeRawBufferPointer>) {
        let plugin: StaticString = "AGE-PLUGIN-"
        if Self.starts(line, with: plugin) {
            self = .agePlugin(Self.pluginName(line.dropFirst(plugin.utf8CodeUnitCount)))
            return
        }
        guard let known = Self.starts.first(where: { Self.starts(line, with: $0.start) }) else {
            return nil
        }
        self = known.kind
    }

    private static func starts(
        _ line: Slice<UnsafeRawBufferPointer>,
        with start: StaticString
    ) -> Bool {
        start.withUTF8Buffer { start in
            line.count >= start.count
                && zip(line, start).allSatisfy { self.lowered($0) == self.lowered($1) }
        }
    }

    /// The name before `-1`, which is not part of the secret; `nil` if it cannot be a plugin's
    /// name.
    private static func pluginName(_ text: Slice<UnsafeRawBufferPointer>) -> String? {
        let name = text.prefix(24).prefix { $0 != UInt8(ascii: "1") }
        let isName = name.dropLast().allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self.lowered($0))
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
        }
        guard name.count > 1, name.endIndex < text.endIndex, name.count < 24, isName,
            name.last == UInt8(ascii: "-")
        else { return nil }
        return String(decoding: name.dropLast().map(self.lowered), as: UTF8.self)
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Why a key of this kind opens no age file, as the text after the key's location; `nil` if it
    /// may open one.
    var refusalByAge: String? {
        switch self {
        case .ageIdentity: nil
        case .agePlugin(let name):
            "holds an identity of \(name.map { "the age plugin age-plugin-\($0)" } ?? "an age plugin"), and Weir runs no"
                + " plugins; decrypt with age itself, or encrypt for an identity that age-keygen makes, too."
        case .privateKey:
            "holds a private key of SSH or OpenSSL, which Weir does not use for age; decrypt with age itself"
                + " (age -d -i KEY FILE), or encrypt for an identity that age-keygen makes, too."
        case .sshPublicKey:
            "holds a public key of SSH, which cannot decrypt; give an age identity, as age-keygen makes it."
        case .openPGP:
            "holds OpenPGP data, which Weir does not read; give an age identity, as age-keygen makes it."
        }
    }

    /// Why a key of this kind is not an AES key, as the text after the key's location.
    var refusalByAES: String {
        switch self {
        case .ageIdentity:
            "holds an age identity and no AES key; name the format age: --decrypt age, or --for age where weir seal writes."
        case .agePlugin:
            "holds an identity of an age plugin and no AES key; name the file of the AES key."
        case .privateKey:
            "holds a private key of SSH or OpenSSL and no AES key; name the file of the AES key."
        case .sshPublicKey:
            "holds a public key of SSH and no AES key; name the file of the AES key."
        case .openPGP: "holds OpenPGP data and no AES key; name the file of the AES key."
        }
    }
}
