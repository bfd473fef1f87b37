// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import PlayerModel
import SwiftUI

/// The parts of a medium that are held, as a bar.
struct HeldBar: View {
    let held: HeldSpans

    var body: some View {
        Canvas { context, size in
            for span in self.held.spans {
                let part = CGRect(
                    x: span.lowerBound * size.width,
                    y: size.height / 2 - 3,
                    width: max(1, (span.upperBound - span.lowerBound) * size.width),
                    height: 6
                )
                context.fill(Path(part), with: .color(.accentColor.opacity(0.35)))
            }
        }
        .accessibilityHidden(true)
    }
}
#endif
