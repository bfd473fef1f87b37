// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// Tells what a machine of the fleet has written from everything else that may be in a bucket.
///
/// ```
/// object = "WEIRTIER" ‖ HMAC-SHA-256(key, name ‖ 00 ‖ content) ‖ content
/// ```
///
/// Its name is sealed with it: an extent under another one's name, of another version or of another resource, is as wrong as
/// a changed byte. It is no encryption.
struct TierSeal: Sendable {
    /// What every object begins with.
    private static let mark = Array("WEIRTIER".utf8)
    /// How many bytes stand before the content.
    static let overhead = mark.count + SHA256.byteCount

    private let key: SymmetricKey

    /// A seal with the secret that the machines share.
    init(secret: some Sequence<UInt8>) {
        // Of any length, and of no other use.
        let root = SymmetricKey(data: Array(secret))
        self.key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: root,
            info: Array("weir tier 1".utf8),
            outputByteCount: 32
        )
    }

    /// The object of a content.
    func sealed(_ content: some Collection<UInt8>, as name: String) -> [UInt8] {
        var object: [UInt8] = []
        object.reserveCapacity(Self.overhead + content.count)
        object += Self.mark
        object += [UInt8](repeating: 0, count: SHA256.byteCount)
        object += content
        let code = object.withUnsafeBytes { self.code(name, $0[Self.overhead...]) }
        object.replaceSubrange(Self.mark.count..<Self.overhead, with: code)
        return object
    }

    /// The content of an object; `nil` if no machine with this secret has written it under this name.
    func content(of object: [UInt8], as name: String) -> ArraySlice<UInt8>? {
        guard object.count >= Self.overhead, object.starts(with: Self.mark) else { return nil }
        let isGenuine = object.withUnsafeBytes { bytes in
            var code = HMAC<SHA256>(key: self.key)
            self.update(&code, name, bytes[Self.overhead...])
            // Compares in constant time.
            return code.finalize() == Array(bytes[Self.mark.count..<Self.overhead])
        }
        return isGenuine ? object[Self.overhead...] : nil
    }

    private func code(_ name: String, _ content: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        var code = HMAC<SHA256>(key: self.key)
        self.update(&code, name, content)
        return Array(code.finalize())
    }

    private func update(
        _ code: inout HMAC<SHA256>,
        _ name: String,
        _ content: Slice<UnsafeRawBufferPointer>
    ) {
        code.update(data: Array(name.utf8) + [0])
        code.update(data: UnsafeRawBufferPointer(rebasing: content))
    }
}
