// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

/// A request of a session.
public struct URLRequest: Hashable, Sendable {
    public typealias CachePolicy = NSURLRequest.CachePolicy

    public init(
        url: URL,
        cachePolicy: CachePolicy = .useProtocolCachePolicy,
        timeoutInterval: TimeInterval = 60.0
    ) { unseen() }

    public var url: URL?
    public var httpMethod: String?
    public var httpBody: Data?
    public var httpShouldHandleCookies: Bool
    public var allHTTPHeaderFields: [String: String]?

    public func value(forHTTPHeaderField field: String) -> String? { unseen() }
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) { unseen() }
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) { unseen() }
}
