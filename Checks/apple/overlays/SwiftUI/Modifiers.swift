// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

extension View {
    nonisolated public func navigationTitle<Words: StringProtocol>(_ title: Words) -> Modified { unseen() }
    nonisolated public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> Modified { unseen() }
    nonisolated public func navigationDestination<Data: Hashable, Content: View>(for data: Data.Type, @ViewBuilder destination: @escaping (Data) -> Content) -> Modified { unseen() }
    nonisolated public func disabled(_ disabled: Bool) -> Modified { unseen() }
    nonisolated public func foregroundStyle<Style: ShapeStyle>(_ style: Style) -> Modified { unseen() }
    nonisolated public func refreshable(action: @escaping @Sendable () async -> Void) -> Modified { unseen() }
    nonisolated public func task(priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void) -> Modified { unseen() }
    nonisolated public func accessibilityHidden(_ hidden: Bool) -> Modified { unseen() }
    nonisolated public func accessibilityLabel<Words: StringProtocol>(_ label: Words) -> Modified { unseen() }
    nonisolated public func padding() -> Modified { unseen() }
    nonisolated public func onChange<Value: Equatable>(of value: Value, initial: Bool = false, _ action: @escaping () -> Void) -> Modified { unseen() }
    nonisolated public func background<Content: View>(@ViewBuilder content: () -> Content) -> Modified { unseen() }
    nonisolated public func tag<Value: Hashable>(_ tag: Value, includeOptional: Bool = true) -> Modified { unseen() }
    nonisolated public func swipeActions<Content: View>(edge: HorizontalEdge = .trailing, allowsFullSwipe: Bool = true, @ViewBuilder content: () -> Content) -> Modified { unseen() }
}
