// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

extension SourceError {
    /// What a reader is told of a failure to decrypt.
    init(_ error: CipherError) {
        let code: Code =
            switch error.code {
            case .wrongKey: .wrongKey
            case .invalidKey, .invalidSettings: .invalidRequest
            case .damaged, .incomplete: .damaged
            default: .notMedia
            }
        self.init(code, error.message, cause: error)
    }
}
