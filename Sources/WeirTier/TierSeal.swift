// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// Distinguishes objects of the fleet's machines from all other objects in a bucket.
///
/// ```
/// object = "WEIRTIER" ‖ HMAC-SHA-256(key, name ‖ 00 ‖ content) ‖ content
/// ```
///
/// The authentication code covers the name, too. So the check rejects an extent that is stored
/// under the name of another extent, version or resource. The seal does not encrypt.
struct TierSeal: Sendable {
    /// The first bytes of every object.
    private static let mark = Array("WEIRTIER".utf8)
    /// The number of bytes before the content.
    static let overhead = mark.count + SHA256.byteCount

    private let key: SymmetricKey

    /// Creates a seal with the secret that the machines share.
    init(secret: some Sequence<UInt8>) {
        // HKDF derives a key of 32 bytes from a secret of any length. Nothing else uses this key.
        let root = SymmetricKey(data: Array(secret))
        self.key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: root,
            info: Array("weir tier 1".utf8),
            outputByteCount: 32
        )
    }

    /// Returns the object that stores a content under a name.
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

    /// The content of an object; `nil` if no machine with this secret has written it under this
    /// name.
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
