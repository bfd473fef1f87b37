// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirTestKit

@testable import WeirLive

/// A model of a ring that keeps everything in an array; tests compare a ``TimeShiftRing`` with the
/// model.
struct RingModel {
    enum Event: Equatable {
        case stretch(Int)
        case metadata(String)
    }

    var end: Int64 = 0
    var events: [(offset: Int64, event: Event)] = []
    var links: [(offset: Int64, head: [UInt8])] = []
    var connections = 0
    var lastTitle: String?
    var time = Duration.zero

    static func info(_ number: Int) -> StationInfo {
        StationInfo(headers: ICYHeaders([]), mediaType: nil, display: "\(number)")
    }

    static func metadata(_ title: String) -> ICYMetadata {
        ICYMetadata(ByteMemory(Array("StreamTitle='\(title)';".utf8)), audioOffset: -1)
    }

    /// The bytes of the stream in a range.
    static func bytes(_ range: Range<Int64>) -> [UInt8] { PatternBytes.bytes(in: range) }
}

extension TimeShiftRing {
    /// When the newest packet starts.
    var newestTime: Duration { self.withState { $0.newestTime } }

    /// Notes that a packet starts, without its facts.
    func note(time: Duration, at offset: Int64) {
        self.withState { $0.note(time: time, at: offset) }
    }
}
