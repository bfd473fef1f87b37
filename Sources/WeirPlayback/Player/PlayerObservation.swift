// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Keeps somebody told; ends when it is dropped or cancelled.
public final class PlayerObservation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit { self.end() }

    /// Ends it: no call begins from now on, as seen from the actor that is called on.
    public func cancel() { self.end() }
}
