// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

@_exported import Foundation
@_exported import Observation

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { unseen() }
}

/// What every modifier and every built-in view gives here: its kind does not matter to who uses it.
public protocol Plain: View where Body == Never {}

extension Plain {
    public var body: Never { unseen() }
}

public struct Modified: Plain {}
public struct EmptyView: Plain { public init() { unseen() } }

extension Optional: View where Wrapped: View {
    public var body: Never { unseen() }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Modified { unseen() }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { unseen() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { unseen() }
    public static func buildEither<First: View>(first: First) -> Modified { unseen() }
    public static func buildEither<Second: View>(second: Second) -> Modified { unseen() }
}

@MainActor @preconcurrency
public protocol Scene {
    associatedtype Body: Scene
    @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}

extension App {
    @MainActor @preconcurrency public static func main() { unseen() }
}

public struct WindowGroup<Content: View>: Scene {
    nonisolated public init(@ViewBuilder content: () -> Content) { unseen() }
    public var body: Never { unseen() }
}

@propertyWrapper
public struct State<Value> {
    public init(wrappedValue value: Value) { unseen() }
    public init(initialValue value: Value) { unseen() }
    public var wrappedValue: Value {
        get { unseen() }
        nonmutating set { unseen() }
    }
    public var projectedValue: Binding<Value> { unseen() }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper
public struct Binding<Value> {
    @preconcurrency public init(get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void) { unseen() }
    public var wrappedValue: Value {
        get { unseen() }
        nonmutating set { unseen() }
    }
    public var projectedValue: Binding<Value> { unseen() }
}

extension Binding: @unchecked Sendable where Value: Sendable {}

public struct EnvironmentValues {}

@propertyWrapper
public struct Environment<Value> {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { unseen() }
    public var wrappedValue: Value { unseen() }
}

/// Which edge of a row.
public enum HorizontalEdge: Sendable { case leading, trailing }

public struct HorizontalAlignment: Sendable {
    public static var leading: HorizontalAlignment { unseen() }
    public static var center: HorizontalAlignment { unseen() }
}

public struct ButtonRole: Sendable {
    public static var destructive: ButtonRole { unseen() }
    public static var cancel: ButtonRole { unseen() }
}

public protocol ShapeStyle: Sendable {}

public struct HierarchicalShapeStyle: ShapeStyle {}

extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var secondary: HierarchicalShapeStyle { unseen() }
}

public struct Color: ShapeStyle, Hashable {
    public static var accentColor: Color { unseen() }
    public func opacity(_ opacity: Double) -> Color { unseen() }
}

public struct Path: Sendable {
    public init(_ rect: CGRect) { unseen() }
}

public struct GraphicsContext {
    public struct Shading: Sendable {
        public static func color(_ color: Color) -> Shading { unseen() }
    }

    public func fill(_ path: Path, with shading: Shading) { unseen() }
}

/// Nothing here is ever run.
func unseen() -> Never { fatalError() }
