// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The details that an observer of a property wants; the stub only reports that there was a change.
///
/// <https://developer.apple.com/documentation/foundation/nskeyvalueobservingoptions>
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Options.
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

/// A change of a property; the stub reports no values.
///
/// <https://developer.apple.com/documentation/foundation/nskeyvalueobservedchange>
public struct NSKeyValueObservedChange<Value> {}

// Unchecked: all mutable state is behind a lock.

/// An observation, until it is invalidated or released.
///
/// <https://developer.apple.com/documentation/foundation/nskeyvalueobservation>
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
    private let lock = NSLock()
    private var tell: (@Sendable () -> Void)?

    init(_ tell: @escaping @Sendable () -> Void) { self.tell = tell }

    deinit { self.invalidate() }

    /// Ends the observation.
    public func invalidate() { self.lock.withLock { self.tell = nil } }

    func told() { self.lock.withLock { self.tell }?() }
}

extension AVPlayer {
    /// Observes a property of the player or of its item: the stub reports each change of an item's supply.
    public func observe<Value>(
        _ keyPath: KeyPath<AVPlayer, Value>,
        options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @Sendable (AVPlayer, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let observation = NSKeyValueObservation { [weak self] in
            if let self { changeHandler(self, NSKeyValueObservedChange()) }
        }
        self.transport.add(observation)
        return observation
    }
}
