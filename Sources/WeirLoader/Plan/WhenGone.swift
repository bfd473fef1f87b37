// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// What becomes of held bytes when the origin says that the resource is not to be had: 401, 403, 404 or 410.
///
/// The user is told in every case, once for each resource.
public enum WhenGone: Hashable, Sendable {
    /// They are served.
    case serve
    /// They are served where there is nothing any more (404, 410), and refused where the credential is (401, 403).
    case refuseUnauthorized
    /// They are refused, with the origin's error.
    case refuse

    /// Whether held bytes are refused because of an error.
    func refuses(_ error: SourceError) -> Bool {
        switch self {
        case .serve: false
        case .refuseUnauthorized: error.code != .notFound
        case .refuse: true
        }
    }
}

extension SourceError {
    /// Whether the origin itself says that the resource is not to be had, which is more than that it cannot be asked.
    var deniesResource: Bool {
        switch self.code {
        case .unauthorized, .notFound: true
        case .forbidden: self.status == 403
        default: false
        }
    }
}
