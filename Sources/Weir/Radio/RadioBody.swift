// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirHTTP
import WeirLive

/// The bytes of a station, as WeirLive takes them.
///
/// They are copied, once: a station sends a kilobyte at a time, each in a receive buffer of many, and who keeps seconds
/// of sound would otherwise keep the buffers.
final class RadioBody: StationBody {
    private let stream: StationStream

    init(_ stream: StationStream) {
        self.stream = stream
    }

    func next() async throws -> ByteMemory? {
        try await self.stream.next()?.withUnsafeBytes { ByteMemory(copying: $0) }
    }

    func cancel() {
        self.stream.cancel()
    }
}
