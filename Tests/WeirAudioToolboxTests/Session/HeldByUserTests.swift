// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirPlayback

@testable import WeirAudioToolbox

@Suite("Whether the user wants silence")
struct HeldByUserTests {
    @Test(
        "is known for every state and reason",
        arguments: PlayerState.allCases,
        StopReason.allCases
    )
    func states(_ state: PlayerState, _ reason: StopReason) {
        var snapshot = PlayerSnapshot()
        snapshot.state = state
        snapshot.stopReason = reason
        let expected =
            switch state {
            case .initialized, .stopping, .stopped: true
            case .paused: reason != .temporary
            default: false
            }
        #expect(snapshot.isHeldByUser == expected)
        let need: SoundNeed =
            switch state {
            case .initialized, .paused, .stopping: .silence
            case .stopped: .none
            default: .sound
            }
        #expect(snapshot.soundNeed == need)
    }
}
