// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Runs the delegate's calls where they are made: on the thread that reads from the socket.
///
/// With a queue of its own that thread would read on while the delegate waits, and the platform would
/// keep the body in memory, uncounted.
///
/// Safe to share: it adds no state to its superclass and touches none of it.
final class InlineQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        block()
    }
}
