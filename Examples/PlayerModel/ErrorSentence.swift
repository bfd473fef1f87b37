// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// The sentence that a user gets for an error.
public enum ErrorSentence {
    /// The sentence of an error.
    ///
    /// - Parameter error: any error.
    /// - Returns: Weir's own sentence, or the system's; `nil` for a cancelled task, which is not a failure.
    public static func text(of error: any Error) -> String? {
        switch error {
        case is CancellationError: nil
        case let error as SourceError: error.message
        case let error as CacheError: error.message
        case let error as CipherError: error.message
        default: error.localizedDescription
        }
    }
}
