// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Attributes of a cache directory on Apple systems, which files created in it inherit.
///
/// They have no effect on other systems, and on volumes without such attributes.
public struct DirectoryAttributes: Hashable, Sendable {
    /// When files can be read and written, depending on the lock of the device.
    public enum Protection: String, Hashable, Sendable, CaseIterable {
        /// At any time.
        case none
        /// From the first unlock after the device's start on, also in the background while the
        /// device is locked.
        case completeUntilFirstUserAuthentication
        /// While the device is unlocked; a file that was opened then stays usable after the device
        /// is locked.
        ///
        /// Media that begin while the device is locked play without the cache.
        case completeUnlessOpen
        /// While the device is unlocked; a playing resource fails at its next read after the device
        /// is locked.
        case complete
    }

    /// When files can be read and written, on Apple systems other than macOS.
    public var protection: Protection
    /// Whether backups leave the directory out, since its bytes can be fetched again.
    public var isExcludedFromBackup: Bool

    /// Creates attributes; the defaults allow reads in the background, and exclude the directory
    /// from backups.
    public init(
        protection: Protection = .completeUntilFirstUserAuthentication,
        isExcludedFromBackup: Bool = true
    ) {
        self.protection = protection
        self.isExcludedFromBackup = isExcludedFromBackup
    }
}
