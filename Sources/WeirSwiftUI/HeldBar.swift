// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// A bar that shows the held parts of a medium, from its start on the leading side to its end.
///
/// It uses the accent colour and the full offered width. It is hidden from assistive technologies, because a label
/// with `Availability.fraction` is more useful to them.
public struct HeldBar: View {
    private let held: HeldSpans
    private let thickness: Double

    /// Makes a bar.
    ///
    /// - Parameters:
    ///   - held: the parts to draw.
    ///   - thickness: the height of the bar, in points; the bar is centred in the offered height.
    public init(_ held: HeldSpans, thickness: Double = 6) {
        self.held = held
        self.thickness = thickness
    }

    /// The bar.
    public var body: some View {
        Canvas { context, size in
            for span in self.held.spans {
                let part = CGRect(
                    x: span.lowerBound * size.width,
                    y: (size.height - self.thickness) / 2,
                    width: max(1, (span.upperBound - span.lowerBound) * size.width),
                    height: self.thickness
                )
                context.fill(Path(part), with: .color(.accentColor.opacity(0.35)))
            }
        }
        .accessibilityHidden(true)
    }
}
#endif
