// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import Foundation
import PlayerModel
import Security
import Weir

/// One secret in the keychain of this device, readable once the device was unlocked after its start, and in no backup
/// for another device.
struct KeychainBox: SecretBox {
    /// What the keychain calls it.
    let service: String

    func read() throws -> Data? {
        var query = self.query
        query[kSecReturnData] = true
        query[kSecMatchLimit] = kSecMatchLimitOne
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        switch status {
        case errSecSuccess: return found as? Data
        case errSecItemNotFound: return nil
        default: throw Self.error("read", status)
        }
    }

    func write(_ secret: Data) throws {
        let change = [kSecValueData: secret] as CFDictionary
        var status = SecItemUpdate(self.query as CFDictionary, change)
        if status == errSecItemNotFound {
            var item = self.query
            item[kSecValueData] = secret
            item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            status = SecItemAdd(item as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw Self.error("write to", status) }
    }

    private var query: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: self.service,
            kSecAttrAccount: "accounts",
        ]
    }

    private static func error(_ attempt: String, _ status: OSStatus) -> SourceError {
        let reason = SecCopyErrorMessageString(status, nil) as String? ?? "status \(status)"
        return SourceError(
            .invalidRequest,
            "Could not \(attempt) the keychain (\(reason)); log in again."
        )
    }
}
#endif
