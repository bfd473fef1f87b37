// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
import Foundation

extension NSError {
    /// A failure in a public domain, with the error of the source underneath.
    convenience init(_ failure: LoadingFailure) {
        let bridged = failure.bridged
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: bridged.message,
            NSDebugDescriptionErrorKey: bridged.debugDescription,
        ]
        if case .source(let error) = failure { userInfo[NSUnderlyingErrorKey] = error as NSError }
        self.init(domain: bridged.domain, code: bridged.code, userInfo: userInfo)
    }
}
#endif
