// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAVFoundation
import WeirSource
import WeirTestKit

/// Writes down what it is told.
final class RecordingDelegate: MediaAssetDelegate {
    let told = Watched<[String]>([])

    func mediaAssetLoadedWhole() { self.told.update { $0.append("whole") } }
    func mediaAsset(failedWith error: SourceError) {
        self.told.update { $0.append("failed: \(error.code)") }
    }
    func mediaAssetSourceChanged() { self.told.update { $0.append("changed") } }
}
