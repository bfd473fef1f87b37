// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What an Apple system is told of a cache directory, and with it of every file that is made in it.
///
/// Without effect elsewhere, and on a volume that has no such attributes.
public struct DirectoryAttributes: Hashable, Sendable {
    /// When files can be read and written, by the lock of the device.
    public enum Protection: String, Hashable, Sendable, CaseIterable {
        /// At any time.
        case none
        /// From the first unlocking after the device's start on: also in the background, with the device locked.
        case completeUntilFirstUserAuthentication
        /// While the device is unlocked, and files that are open then also later. Media that begin while it is locked play
        /// without the cache.
        case completeUnlessOpen
        /// While the device is unlocked. What plays when it is locked fails at its next read.
        case complete
    }

    /// When files can be read and written; on iOS and its relatives.
    public var protection: Protection
    /// Whether backups leave the directory out: what it holds can be fetched again.
    public var isExcludedFromBackup: Bool

    /// Describes a directory; unless said otherwise, one that is read in the background and left out of backups.
    public init(
        protection: Protection = .completeUntilFirstUserAuthentication,
        isExcludedFromBackup: Bool = true
    ) {
        self.protection = protection
        self.isExcludedFromBackup = isExcludedFromBackup
    }
}
