// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A part of an engine.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudionode>
open class AVAudioNode: NSObject {
    var device: StubAudioDevice?

    /// When the node was asked for sound last; nil while the engine stands still.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudionode/lastrendertime>
    open var lastRenderTime: AVAudioTime? { nil }
}

/// Mixes what is connected to it, at any rate and of any channels.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudiomixernode>
open class AVAudioMixerNode: AVAudioNode {}

/// A device of an engine.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudioionode>
open class AVAudioIONode: AVAudioNode {
    /// How long sound takes from here to the ear.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioionode/presentationlatency>
    open var presentationLatency: TimeInterval { self.device?.latency ?? 0 }
}

/// Where sound goes out.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudiooutputnode>
open class AVAudioOutputNode: AVAudioIONode {}
