// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import PlayerModel
import SwiftUI

/// A slider over the whole medium, with what is held drawn behind it.
struct Scrubber: View {
    let fraction: Double
    let held: HeldSpans
    let seek: (Double) -> Void

    /// Where the thumb is.
    @State private var place = 0.0
    @State private var isDragged = false

    var body: some View {
        Slider(value: self.$place, in: 0...1) { isDragged in
            self.isDragged = isDragged
            if !isDragged { self.seek(self.place) }
        }
        .onChange(of: self.fraction) {
            if !self.isDragged { self.place = self.fraction }
        }
        .background { HeldBar(held: self.held) }
        .accessibilityLabel("Position")
    }
}
#endif
