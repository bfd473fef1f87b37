// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

extension NSNotification.Name {
    /// Posted when the devices of an engine have changed; the engine has stopped by then.
    ///
    /// <https://developer.apple.com/documentation/foundation/nsnotification/name/avaudioengineconfigurationchange>
    public static let AVAudioEngineConfigurationChange = NSNotification.Name(
        "AVAudioEngineConfigurationChangeNotification"
    )
}

/// Runs connected nodes.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudioengine>
open class AVAudioEngine: NSObject {
    let device: StubAudioDevice

    /// The node that every other node is connected to in the end.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/mainmixernode>
    public let mainMixerNode = AVAudioMixerNode()
    /// The node that plays the sound.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/outputnode>
    public let outputNode = AVAudioOutputNode()

    /// An engine on the device of the current task.
    public override init() {
        self.device = StubAudioDevice.current
        super.init()
        self.mainMixerNode.device = self.device
        self.outputNode.device = self.device
        self.device.add(self)
    }

    deinit { self.device.remove(ObjectIdentifier(self)) }

    /// Whether the engine runs.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/isrunning>
    open var isRunning: Bool { self.device.isRunning(self) }

    /// Adds a node.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/attach(_:)>
    open func attach(_ node: AVAudioNode) {
        guard let player = node as? AVAudioPlayerNode else { return }
        if player.device != nil { self.device.violate("A node was attached twice") }
        player.device = self.device
        player.engine = self
    }

    /// Removes a node.
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

    /// Connects the output of a node to another node.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/connect(_:to:format:)>
    open func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) {
        guard let player = node1 as? AVAudioPlayerNode, player.engine === self, let format,
            node2 === self.mainMixerNode
        else { return self.device.violate("What is not attached cannot be connected") }
        self.device.connect(player, format, of: self)
    }

    /// Disconnects the output of a node.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/disconnectnodeoutput(_:)>
    open func disconnectNodeOutput(_ node: AVAudioNode) {
        guard let player = node as? AVAudioPlayerNode else { return }
        self.device.disconnect(player)
    }

    /// Prepares for the start.
    open func prepare() {}

    /// Starts the engine.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioengine/start()>
    open func start() throws { try self.device.start(self) }

    /// Pauses the engine.
    open func pause() { self.device.stop(self) }

    /// Stops the engine, and releases the device.
    open func stop() { self.device.stop(self) }
}
