// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

extension NSNotification.Name {
    /// The devices of an engine have changed; it has stopped itself.
    ///
    /// <https://developer.apple.com/documentation/foundation/nsnotification/name/avaudioengineconfigurationchange>
    public static let AVAudioEngineConfigurationChange = NSNotification.Name(
        "AVAudioEngineConfigurationChangeNotification"
    )
}

/// Runs nodes that are connected with each other.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudioengine>
open class AVAudioEngine: NSObject {
    let device: StubAudioDevice

    /// What everything is connected to in the end.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/mainmixernode>
    public let mainMixerNode = AVAudioMixerNode()
    /// Where sound goes out.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/outputnode>
    public let outputNode = AVAudioOutputNode()

    /// An engine, on the device of the task that makes it.
    public override init() {
        self.device = StubAudioDevice.current
        super.init()
        self.mainMixerNode.device = self.device
        self.outputNode.device = self.device
        self.device.add(self)
    }

    deinit { self.device.remove(ObjectIdentifier(self)) }

    /// Whether it runs.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/isrunning>
    open var isRunning: Bool { self.device.isRunning(self) }

    /// Takes a node in.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/attach(_:)>
    open func attach(_ node: AVAudioNode) {
        guard let player = node as? AVAudioPlayerNode else { return }
        if player.device != nil { self.device.violate("A node was attached twice") }
        player.device = self.device
        player.engine = self
    }

    /// Lets a node go.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/detach(_:)>
    open func detach(_ node: AVAudioNode) {
        guard let player = node as? AVAudioPlayerNode else { return }
        if player.engine !== self {
            self.device.violate("A node was detached that is not attached")
        }
        self.device.disconnect(player)
        player.device = nil
        player.engine = nil
    }

    /// Leads the sound of a node to another.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/connect(_:to:format:)>
    open func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {
        guard let player = node1 as? AVAudioPlayerNode, player.engine === self, let format,
            node2 === self.mainMixerNode
        else { return self.device.violate("What is not attached cannot be connected") }
        self.device.connect(player, format, of: self)
    }

    /// Leads the sound of a node nowhere.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/disconnectnodeoutput(_:)>
    open func disconnectNodeOutput(_ node: AVAudioNode) {
        guard let player = node as? AVAudioPlayerNode else { return }
        self.device.disconnect(player)
    }

    /// Gets ready to start.
    open func prepare() {}

    /// Runs.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/start()>
    open func start() throws { try self.device.start(self) }

    /// Stands still.
    open func pause() { self.device.stop(self) }

    /// Stops, and lets go of the device.
    open func stop() { self.device.stop(self) }
}
