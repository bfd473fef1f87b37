// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import SwiftUI

/// A sentence that replaces the whole view.
struct FailureView: View {
    let sentence: String

    var body: some View {
        ContentUnavailableView(
            "That did not work",
            systemImage: "exclamationmark.triangle",
            description: Text(self.sentence)
        )
    }
}
#endif
