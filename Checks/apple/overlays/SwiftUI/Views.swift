// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

public struct Text: Plain, Sendable {
    nonisolated public init<Words: StringProtocol>(_ content: Words) { unseen() }
    nonisolated public init<Format: FormatStyle>(_ input: Format.FormatInput, format: Format)
    where Format.FormatInput: Equatable, Format.FormatOutput == String { unseen() }
}

public struct Label: Plain {
    nonisolated public init<Words: StringProtocol>(_ title: Words, systemImage name: String) { unseen() }
}

public struct Button: Plain {
    nonisolated public init<Words: StringProtocol>(_ title: Words, action: @escaping @MainActor () -> Void) { unseen() }
    nonisolated public init<Words: StringProtocol>(_ title: Words, systemImage: String, action: @escaping @MainActor () -> Void) { unseen() }
    nonisolated public init<Words: StringProtocol>(_ title: Words, systemImage: String, role: ButtonRole?, action: @escaping @MainActor () -> Void) { unseen() }
}

public struct ProgressView: Plain {
    nonisolated public init() { unseen() }
    nonisolated public init<Value: BinaryFloatingPoint>(value: Value?, total: Value = 1.0) { unseen() }
}

public struct VStack<Content: View>: Plain {
    nonisolated public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) { unseen() }
}

public struct HStack<Content: View>: Plain {
    nonisolated public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) { unseen() }
}

public struct List<Content: View>: Plain {
    nonisolated public init(@ViewBuilder content: () -> Content) { unseen() }
}

public struct Section<Content: View>: Plain {
    nonisolated public init(@ViewBuilder content: () -> Content) { unseen() }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: Plain {
    nonisolated public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
    where Data.Element: Identifiable, ID == Data.Element.ID { unseen() }
    nonisolated public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content) { unseen() }
}

public struct Picker<SelectionValue: Hashable, Content: View>: Plain {
    nonisolated public init<Words: StringProtocol>(_ title: Words, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content) { unseen() }
}

public struct Slider: Plain {
    nonisolated public init<Value: BinaryFloatingPoint>(value: Binding<Value>, in bounds: ClosedRange<Value> = 0...1, onEditingChanged: @escaping (Bool) -> Void = { _ in })
    where Value.Stride: BinaryFloatingPoint { unseen() }
}

public struct LabeledContent<Content: View>: Plain {
    nonisolated public init<Name: View>(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Name) { unseen() }
    nonisolated public init<Words: StringProtocol>(_ title: Words, @ViewBuilder content: () -> Content) { unseen() }
}

public struct ContentUnavailableView: Plain {
    nonisolated public init<Words: StringProtocol>(_ title: Words, systemImage name: String, description: Text? = nil) { unseen() }
}

public struct Canvas: Plain {
    nonisolated public init(renderer: @escaping (inout GraphicsContext, CGSize) -> Void) { unseen() }
}

public struct NavigationStack<Root: View>: Plain {
    nonisolated public init(@ViewBuilder root: () -> Root) { unseen() }
}

public struct NavigationLink<Content: View>: Plain {
    nonisolated public init<Value: Hashable>(value: Value?, @ViewBuilder label: () -> Content) { unseen() }
}

public struct TabView<Content: TabContent>: Plain {
    nonisolated public init(@TabContentBuilder content: () -> Content) { unseen() }
}

@MainActor @preconcurrency
public protocol TabContent {}

public struct Tab<Content: View>: TabContent {
    nonisolated public init<Words: StringProtocol>(_ title: Words, systemImage: String, @ViewBuilder content: () -> Content) { unseen() }
}

public struct Tabs: TabContent {}

@resultBuilder
public struct TabContentBuilder {
    public static func buildExpression<Content: TabContent>(_ content: Content) -> Content { unseen() }
    public static func buildBlock<each Content: TabContent>(_ content: repeat each Content) -> Tabs { unseen() }
}
