// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Where the next page of a listing starts.
///
/// Used by one iteration, one call at a time.
final class PageState: Sendable {
    private let offset = Mutex<Int?>(0)
    private let name = Mutex<String?>(nil)

    /// The offset of the next page; `nil` after the last.
    var next: Int? {
        get { self.offset.withLock { $0 } }
        set { self.offset.withLock { $0 = newValue } }
    }

    /// The first name of the last page.
    var firstName: String? {
        get { self.name.withLock { $0 } }
        set { self.name.withLock { $0 = newValue } }
    }
}
