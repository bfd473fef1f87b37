// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirClouds
import WeirProxy
import WeirSource

/// The secret of `weir serve`, made once, so that URLs stay.
struct SecretStore {
    /// The file, in the configuration folder, mode 0600.
    let path: String

    init(directory: String) {
        self.path = "\(directory)/secret"
    }

    /// The secret; made if there is none, or if another one is wanted.
    ///
    /// - Throws: ``CommandError`` if the file cannot be read or written.
    func secret(renewed: Bool = false) throws -> ProxySecret {
        if !renewed, let text = try? String(contentsOfFile: self.path, encoding: .utf8) {
            guard let secret = ProxySecret(text.trimmingCharacters(in: .whitespacesAndNewlines))
            else {
                throw CommandError.failed(
                    "The secret in \(self.path) is not one; make another with weir serve --new-secret."
                )
            }
            return secret
        }
        let secret = ProxySecret()
        try self.write(secret)
        return secret
    }

    private func write(_ secret: ProxySecret) throws(CommandError) {
        do throws(SourceError) {
            try PrivateFile.makeDirectory((self.path as NSString).deletingLastPathComponent)
            try PrivateFile.replace(
                self.path,
                with: Array("\(secret.text)\n".utf8),
                through: "\(self.path).\(ProcessInfo.processInfo.processIdentifier)"
            )
        } catch {
            throw CommandError.failed(
                "The secret cannot be kept in \(self.path); make the folder writable, or set XDG_CONFIG_HOME to one that is."
            )
        }
    }
}
