// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

/// What Foundation adds to the URL of FoundationEssentials on Apple platforms: from iOS 16 and macOS 13 on.
extension URL {
    public static var cachesDirectory: URL { unseen() }
    public static var applicationSupportDirectory: URL { unseen() }
    public static var documentsDirectory: URL { unseen() }

    public func resourceValues(forKeys keys: Set<URLResourceKey>) throws -> URLResourceValues { unseen() }
    public mutating func setResourceValues(_ values: URLResourceValues) throws { unseen() }
}

public struct URLResourceValues {
    public init() { unseen() }
    public var isExcludedFromBackup: Bool?
    public var volumeAvailableCapacityForImportantUsage: Int64? { unseen() }
    public var volumeAvailableCapacity: Int? { unseen() }
}

public struct URLResourceKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { unseen() }
    public static var isExcludedFromBackupKey: URLResourceKey { unseen() }
    public static var volumeAvailableCapacityKey: URLResourceKey { unseen() }
    public static var volumeAvailableCapacityForImportantUsageKey: URLResourceKey { unseen() }
}
