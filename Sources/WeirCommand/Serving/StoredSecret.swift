// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirClouds
import WeirProxy
import WeirSource

extension ProxySecret {
    /// The stored secret of `weir serve`, which keeps URLs valid; `renewed` replaces it.
    ///
    /// The secret is in a file of the configuration folder with mode 0600.
    ///
    /// - Throws: ``CommandError`` if the file cannot be read or written.
    static func stored(in directory: String, renewed: Bool = false) throws -> ProxySecret {
        let path = "\(directory)/secret"
        if !renewed, let text = try? String(contentsOfFile: path, encoding: .utf8) {
            guard let secret = ProxySecret(text.trimmingCharacters(in: .whitespacesAndNewlines))
            else {
                throw CommandError.failed(
                    "\(path) does not contain a valid secret; make a new one with weir serve --new-secret."
                )
            }
            return secret
        }
        let secret = ProxySecret()
        do throws(SourceError) {
            try PrivateFile.makeDirectory((path as NSString).deletingLastPathComponent)
            try PrivateFile.replace(
                path,
                with: Array("\(secret.text)\n".utf8),
                through: "\(path).\(ProcessInfo.processInfo.processIdentifier)"
            )
        } catch {
            throw CommandError.failed(
                "The secret cannot be stored in \(path); make the folder writable, or set XDG_CONFIG_HOME to a"
                    + " writable folder."
            )
        }
        return secret
    }
}
