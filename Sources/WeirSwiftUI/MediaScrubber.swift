// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// A slider over a whole medium, with the held parts drawn behind it.
///
/// The thumb follows the player's position, except while the user drags it; on release, the scrubber seeks.
///
///     MediaScrubber(position: model.fraction, held: HeldSpans(media.availability)) { place in
///         Task { await model.seek(to: place) }
///     }
public struct MediaScrubber: View {
    private let position: Double
    private let held: HeldSpans
    private let seek: (Double) -> Void

    /// The position of the thumb.
    @State private var place: Double
    @State private var isDragged = false

    /// Makes a scrubber.
    ///
    /// - Parameters:
    ///   - position: the player's position, from 0 to 1.
    ///   - held: the held parts of the medium.
    ///   - seek: called on the main actor with a position from 0 to 1, when the user releases the thumb.
    public init(position: Double, held: HeldSpans, seek: @escaping (Double) -> Void) {
        self.position = position
        self.held = held
        self.seek = seek
        self._place = State(initialValue: position)
    }

    /// The slider, and the bar behind it.
    public var body: some View {
        Slider(value: self.$place, in: 0...1) { isDragged in
            self.isDragged = isDragged
            if !isDragged { self.seek(self.place) }
        }
        .onChange(of: self.position) {
            if !self.isDragged { self.place = self.position }
        }
        .background { HeldBar(self.held) }
        .accessibilityLabel("Position")
    }
}
#endif
