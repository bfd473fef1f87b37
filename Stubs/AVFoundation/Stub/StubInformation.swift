// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a delegate said of the resource, as it was taken; not Apple's.
public struct StubInformation: Sendable, Hashable {
    /// The types of which the answer had to be one.
    public internal(set) var allowedContentTypes: [String]?
    /// The type that was said.
    public internal(set) var contentType: String?
    /// The length that was said.
    public internal(set) var contentLength: Int64 = 0
    /// Whether ranges were promised.
    public internal(set) var isByteRangeAccessSupported = false
    /// When the answer expires.
    public internal(set) var renewalDate: Date?
    /// Whether every byte was promised at once.
    public internal(set) var isEntireLengthAvailableOnDemand = false

    init(allowedContentTypes: [String]?) {
        self.allowedContentTypes = allowedContentTypes
    }

    /// Whether the type is not one of those that were allowed: the real one throws for it [hdr].
    var isTypeForbidden: Bool {
        guard let contentType, let allowedContentTypes, !allowedContentTypes.isEmpty else {
            return false
        }
        return !allowedContentTypes.contains(contentType)
    }
}
