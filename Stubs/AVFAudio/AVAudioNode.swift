// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A part of an engine.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudionode>
open class AVAudioNode: NSObject {
    var device: StubAudioDevice?

    /// The time of the last request for sound; nil while the engine does not run.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudionode/lastrendertime>
    open var lastRenderTime: AVAudioTime? { nil }
}

/// Mixes its inputs, of any sample rates and channel counts.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudiomixernode>
open class AVAudioMixerNode: AVAudioNode {}

/// A device of an engine.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudioionode>
open class AVAudioIONode: AVAudioNode {
    /// How long sound takes from this node to the listener, in seconds.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioionode/presentationlatency>
    open var presentationLatency: TimeInterval { self.device?.latency ?? 0 }
}

/// The node that plays the sound.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudiooutputnode>
open class AVAudioOutputNode: AVAudioIONode {}
