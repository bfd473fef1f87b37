// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Timed media, abstract; not Sendable, though its subclass for URLs is.
///
/// <https://developer.apple.com/documentation/avfoundation/avasset>
open class AVAsset: NSObject, NSCopying {
    override init() {
        super.init()
    }

    deinit {
        StubAssociations.shared.forget(self)
    }

    /// The same asset: assets are immutable, and share their loaded data.
    ///
    /// - Parameter zone: Ignored.
    /// - Returns: The asset itself.
    open func copy(with zone: NSZone?) -> Any {
        self
    }
}
