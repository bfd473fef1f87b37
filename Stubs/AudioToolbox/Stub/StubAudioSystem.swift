// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The decoders of a system, configured by a test; not Apple's.
public final class StubAudioSystem: Sendable {
    /// The system of the current task.
    @TaskLocal public static var current = StubAudioSystem()

    /// The calls of a converter.
    public struct Converter: Sendable {
        /// The format that it decodes.
        public var source: AudioStreamBasicDescription
        /// The cookies that it received, accepted or not.
        public var cookies: [[UInt8]] = []
        /// How many times it was reset.
        public var resets = 0
        /// Whether it was released.
        public var isDisposed = false
    }

    /// Formats that the system does not decode.
    public let refusedFormats: Set<UInt32>
    /// How many frames a decoder drops at a beginning.
    public let droppedFrames: Int
    /// Whether a cookie is accepted.
    public let takesCookie: @Sendable ([UInt8]) -> Bool
    /// The status of a packet; 0 if it decodes to sound.
    public let status: @Sendable ([UInt8]) -> OSStatus
    /// How many ADTS frames a parser must see before it reports the format.
    public let framesToSee: Int

    private let state = Mutex((converters: [Converter](), violations: [String]()))

    /// A system.
    ///
    /// - Parameters:
    ///   - refusedFormats: formats that the system does not decode.
    ///   - droppedFrames: how many frames a decoder drops at a beginning.
    ///   - framesToSee: how many ADTS frames a parser must see before it reports the format.
    ///   - takesCookie: whether a cookie is accepted.
    ///   - status: the status of a packet; 0 for sound.
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

    /// All converters made, in order.
    public var converters: [Converter] { self.state.withLock { $0.converters } }

    /// The calls that break the rules of the real system.
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
