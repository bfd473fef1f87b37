// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A delegate's content information about the resource, as the loader read it; not Apple's.
public struct StubInformation: Sendable, Hashable {
    /// The allowed types.
    public internal(set) var allowedContentTypes: [String]?
    /// The content type.
    public internal(set) var contentType: String?
    /// The content length.
    public internal(set) var contentLength: Int64 = 0
    /// Whether the delegate supports ranges.
    public internal(set) var isByteRangeAccessSupported = false
    /// When the information expires.
    public internal(set) var renewalDate: Date?
    /// Whether every byte is available at once.
    public internal(set) var isEntireLengthAvailableOnDemand = false

    init(allowedContentTypes: [String]?) {
        self.allowedContentTypes = allowedContentTypes
    }

    /// Whether the type is not allowed: the real loader then throws an exception [hdr].
    var isTypeForbidden: Bool {
        guard let contentType, let allowedContentTypes, !allowedContentTypes.isEmpty else {
            return false
        }
        return !allowedContentTypes.contains(contentType)
    }
}
