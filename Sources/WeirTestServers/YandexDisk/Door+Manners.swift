// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How each server is spoken to, and how it says no.
extension Door {
    /// The methods that it has.
    var methods: Set<String> {
        switch self {
        case .api, .link, .other: ["GET"]
        case .oauth: ["GET", "POST"]
        case .webdav: ["GET", "PROPFIND"]
        }
    }

    /// What it answers to a request that no client should make.
    func refusal(_ violation: String) -> ServerAnswer {
        switch self {
        case .api: .apiError(400, "FieldValidationError", violation)
        case .oauth: .oauthError("invalid_request", violation)
        // The links' host and WebDAV stand behind nginx.
        case .link, .other, .webdav: .page(400)
        }
    }
}
