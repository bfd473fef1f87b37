// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

// Unchecked: all mutable state is behind a lock; completion handlers are called outside the lock.

/// A sound device whose time a test advances; not Apple's.
public final class StubAudioDevice: @unchecked Sendable {
    private struct Running {
        weak var engine: AVAudioEngine?
        var isRunning = false
    }

    /// The device for the engines that the current task makes.
    @TaskLocal public static var current = StubAudioDevice()

    /// How long sound takes to the listener, in seconds.
    public let latency: Double
    private let scheduled: @Sendable (Int) -> Void
    private let lock = NSLock()
    private var now: UInt64 = 1_000_000_000
    private var engines: [ObjectIdentifier: Running] = [:]
    private var playbacks: [ObjectIdentifier: StubPlayback] = [:]
    private var due: [(UInt64, AVAudioPlayerNodeCompletionHandler)] = []
    private var log: [StubHeard] = []
    private var rules: [String] = []
    private var refuses = false
    private var changesOnStart = false
    private var count = 0

    /// A device.
    ///
    /// - Parameters:
    ///   - latency: how long sound takes to the listener, in seconds.
    ///   - scheduled: receives the number of buffers scheduled so far, whenever it grows.
    public init(latency: Double = 0, scheduled: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.latency = latency
        self.scheduled = scheduled
    }

    /// The buffers whose playing has begun, in order.
    public var heard: [StubHeard] { self.lock.withLock { self.log } }

    /// The calls for which AVFAudio would have raised an exception.
    public var violations: [String] { self.lock.withLock { self.rules } }

    /// How many engines exist.
    public var engineCount: Int { self.lock.withLock { self.engines.count } }

    /// How many nodes are connected.
    public var nodeCount: Int { self.lock.withLock { self.playbacks.count } }

    /// Whether engines fail to start.
    public var refusesToStart: Bool {
        get { self.lock.withLock { self.refuses } }
        set { self.lock.withLock { self.refuses = newValue } }
    }

    /// How many engines run.
    public var runningCount: Int {
        self.lock.withLock { self.engines.values.count(where: \.isRunning) }
    }

    /// Changes the device right after the next engine has started, before that engine's nodes can play.
    public func changeOnStart() { self.lock.withLock { self.changesOnStart = true } }

    /// Advances the time, and calls the completion handlers that become due.
    ///
    /// - Parameter seconds: the number of seconds.
    public func advance(by seconds: Double) {
        let handlers = self.lock.withLock { () -> [() -> Void] in
            let from = self.now
            self.now += UInt64((seconds * 1e9).rounded())
            var ended: [(StubPlayback.Item, UInt64)] = []
            for playback in self.playbacks.values where self.isRunning(playback.engine) {
                let result = playback.render(from: from, to: self.now)
                self.log += result.begun
                ended += result.ended
            }
            self.log.sort { $0.hostTime < $1.hostTime }
            return self.settle(ended.sorted { $0.1 < $1.1 })
        }
        for handler in handlers { handler() }
    }

    private func settle(_ ended: [(StubPlayback.Item, UInt64)]) -> [() -> Void] {
        var handlers: [() -> Void] = []
        for (item, time) in ended {
            guard let handler = item.handler else { continue }
            let type = item.type
            if type == .dataPlayedBack {
                self.due.append((time + UInt64(self.latency * 1e9), handler))
            } else {
                handlers.append { handler(type) }
            }
        }
        for (time, handler) in self.due where time <= self.now {
            handlers.append { handler(.dataPlayedBack) }
        }
        self.due.removeAll { $0.0 <= self.now }
        return handlers
    }

    /// Changes the device: the engines stop, and a notification is posted for each.
    public func change() {
        let engines = self.lock.withLock {
            for id in self.engines.keys { self.engines[id]?.isRunning = false }
            return self.engines.values.compactMap(\.engine)
        }
        for engine in engines {
            NotificationCenter.default.post(name: .AVAudioEngineConfigurationChange, object: engine)
        }
    }

    /// Stops the engines, as an interruption does.
    public func interrupt() {
        self.lock.withLock {
            for id in self.engines.keys { self.engines[id]?.isRunning = false }
        }
    }

    func violate(_ rule: String) { self.lock.withLock { self.rules.append(rule) } }
}

// The operations of engines and nodes.
extension StubAudioDevice {
    func add(_ engine: AVAudioEngine) {
        self.lock.withLock { self.engines[ObjectIdentifier(engine)] = Running(engine: engine) }
    }

    func remove(_ engine: ObjectIdentifier) {
        self.lock.withLock {
            self.engines[engine] = nil
            self.playbacks = self.playbacks.filter { $0.value.engine != engine }
        }
    }

    private func isRunning(_ id: ObjectIdentifier) -> Bool { self.engines[id]?.isRunning ?? false }

    func isRunning(_ engine: AVAudioEngine) -> Bool {
        self.lock.withLock { self.isRunning(ObjectIdentifier(engine)) }
    }

    func start(_ engine: AVAudioEngine) throws {
        let isChanged = try self.lock.withLock {
            if self.refuses { throw NSError(domain: "com.apple.coreaudio.avfaudio", code: -10_875) }
            self.engines[ObjectIdentifier(engine)]?.isRunning = true
            defer { self.changesOnStart = false }
            return self.changesOnStart
        }
        if isChanged { self.change() }
    }

    func stop(_ engine: AVAudioEngine) {
        self.lock.withLock { self.engines[ObjectIdentifier(engine)]?.isRunning = false }
    }

    func connect(_ node: AVAudioPlayerNode, _ format: AVAudioFormat, of engine: AVAudioEngine) {
        self.lock.withLock {
            self.playbacks[ObjectIdentifier(node)] = StubPlayback(ObjectIdentifier(engine), format)
        }
    }

    func disconnect(_ node: AVAudioPlayerNode) {
        self.stop(node)
        self.lock.withLock { self.playbacks[ObjectIdentifier(node)] = nil }
    }

    func schedule(
        _ buffer: AVAudioPCMBuffer,
        on node: AVAudioPlayerNode,
        _ type: AVAudioPlayerNodeCompletionCallbackType,
        _ handler: AVAudioPlayerNodeCompletionHandler?
    ) {
        let count = self.lock.withLock { () -> Int in
            guard let playback = self.playbacks[ObjectIdentifier(node)],
                playback.format.channelCount == buffer.format.channelCount,
                buffer.frameLength > 0
            else {
                self.rules.append("A buffer was scheduled that its node does not take")
                return self.count
            }
            playback.items.append(.init(buffer: buffer, type: type, handler: handler))
            self.count += 1
            return self.count
        }
        self.scheduled(count)
    }

    func isPlaying(_ node: AVAudioPlayerNode) -> Bool {
        self.lock.withLock { self.playbacks[ObjectIdentifier(node)]?.isPlaying ?? false }
    }

    /// Starts a node; `false` while its engine does not run.
    func play(_ node: AVAudioPlayerNode, at hostTime: UInt64?) -> Bool {
        self.lock.withLock {
            guard let playback = self.playbacks[ObjectIdentifier(node)],
                self.isRunning(playback.engine)
            else { return false }
            playback.isPlaying = true
            playback.hasRendered = false
            playback.began = max(self.now, hostTime ?? 0)
            return true
        }
    }

    func pause(_ node: AVAudioPlayerNode) {
        self.lock.withLock {
            guard let playback = self.playbacks[ObjectIdentifier(node)], playback.isPlaying else {
                return
            }
            playback.base = max(playback.base, playback.frame(at: self.now))
            playback.isPlaying = false
        }
    }

    func stop(_ node: AVAudioPlayerNode) {
        let items = self.lock.withLock { () -> [StubPlayback.Item] in
            guard let playback = self.playbacks[ObjectIdentifier(node)] else { return [] }
            defer {
                playback.items = []
                playback.isPlaying = false
                playback.base = 0
                playback.last = 0
            }
            return playback.items
        }
        for item in items { item.handler?(item.type) }
    }

    func lastRenderTime(of node: AVAudioPlayerNode) -> AVAudioTime? {
        self.lock.withLock {
            guard let playback = self.playbacks[ObjectIdentifier(node)],
                self.isRunning(playback.engine), playback.hasRendered
            else { return nil }
            let rate = playback.format.sampleRate
            return AVAudioTime(
                hostTime: self.now,
                sampleTime: Int64(Double(self.now) * rate / 1e9),
                atRate: rate
            )
        }
    }

    func playerTime(of node: AVAudioPlayerNode, _ time: AVAudioTime) -> AVAudioTime? {
        self.lock.withLock {
            guard let playback = self.playbacks[ObjectIdentifier(node)], playback.isPlaying,
                playback.hasRendered
            else { return nil }
            return AVAudioTime(
                hostTime: time.hostTime,
                sampleTime: playback.frame(at: time.hostTime),
                atRate: playback.format.sampleRate
            )
        }
    }
}
