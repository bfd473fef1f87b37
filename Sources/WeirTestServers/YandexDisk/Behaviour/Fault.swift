// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A way in which the service misbehaves, and how often it does.
///
/// It has a written form, for command lines and JSON: its name, then in this order and each only if
/// it is wanted `=` and a number, `*` and how many times, `@` and where, as `rate-limited=3*2@api`.
/// Without a number of times it misbehaves always.
public struct Fault: Sendable, Hashable {
    /// What goes wrong.
    public var name: Name
    /// The number that belongs to it, where one does: see ``Name``.
    public var value: Int64?
    /// How often it will yet happen; `nil` for always.
    public var remaining: Int?
    /// The one server at which it happens; `nil` for everywhere where it can.
    public var door: Door?

    /// Makes a fault.
    ///
    /// - Parameters:
    ///   - name: what goes wrong.
    ///   - value: the number that belongs to it; `nil` for the usual one.
    ///   - times: how often; `nil` for always.
    ///   - door: the one server at which it happens; `nil` for everywhere where it can.
    public init(_ name: Name, _ value: Int64? = nil, times: Int? = nil, at door: Door? = nil) {
        self.name = name
        self.value = value
        self.remaining = times
        self.door = door
    }

    /// A fault that happens at the next request that it can happen to, and then no more.
    public static func once(_ name: Name, _ value: Int64? = nil, at door: Door? = nil) -> Fault {
        Fault(name, value, times: 1, at: door)
    }

    /// Whether it can happen at a server now.
    func isDue(at door: Door) -> Bool {
        self.remaining != 0 && (self.door.map { $0 == door } ?? true)
            && self.name.doors.contains(door)
    }
}
