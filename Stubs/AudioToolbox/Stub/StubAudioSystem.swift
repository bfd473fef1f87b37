// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The decoders of a system, as a test wants them; not Apple's.
public final class StubAudioSystem: Sendable {
    /// The system of the task that asks.
    @TaskLocal public static var current = StubAudioSystem()

    /// What was asked of a converter.
    public struct Converter: Sendable {
        /// What it decodes.
        public var source: AudioStreamBasicDescription
        /// The cookies that it was offered, taken or not.
        public var cookies: [[UInt8]] = []
        /// How often it was reset.
        public var resets = 0
        /// Whether somebody has let go of it.
        public var isDisposed = false
    }

    /// Formats that it does not decode.
    public let refusedFormats: Set<UInt32>
    /// How many frames of sound a decoder keeps to itself at a beginning, and never gives.
    public let droppedFrames: Int
    /// Whether a cookie is taken.
    public let takesCookie: @Sendable ([UInt8]) -> Bool
    /// What comes of a packet, if it is not sound.
    public let status: @Sendable ([UInt8]) -> OSStatus
    /// How many frames a parser wants to see.
    public let framesToSee: Int

    private let state = Mutex((converters: [Converter](), violations: [String]()))

    /// A system.
    ///
    /// - Parameters:
    ///   - refusedFormats: formats that it does not decode.
    ///   - droppedFrames: how many frames a decoder keeps to itself at a beginning.
    ///   - framesToSee: how many frames a parser wants to see.
    ///   - takesCookie: whether a cookie is taken.
    ///   - status: what comes of a packet; 0 for sound.
    public init(
        refusedFormats: Set<UInt32> = [],
        droppedFrames: Int = 0,
        framesToSee: Int = 3,
        takesCookie: @escaping @Sendable ([UInt8]) -> Bool = { _ in true },
        status: @escaping @Sendable ([UInt8]) -> OSStatus = { _ in 0 }
    ) {
        self.refusedFormats = refusedFormats
        self.droppedFrames = droppedFrames
        self.framesToSee = framesToSee
        self.takesCookie = takesCookie
        self.status = status
    }

    /// The converters that were made, in order.
    public var converters: [Converter] { self.state.withLock { $0.converters } }

    /// What a real system would not have put up with.
    public var violations: [String] { self.state.withLock { $0.violations } }

    func violate(_ rule: String) { self.state.withLock { $0.violations.append(rule) } }

    func made(_ source: AudioStreamBasicDescription) -> Int {
        self.state.withLock { state in
            state.converters.append(Converter(source: source))
            return state.converters.count - 1
        }
    }

    func note(_ index: Int, _ change: (inout Converter) -> Void) {
        self.state.withLock { change(&$0.converters[index]) }
    }
}
