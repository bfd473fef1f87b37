// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if WEIR_STUBS
import AVFoundation
import Foundation
import Testing

/// The films in the fixtures, and the positions of their boxes.
enum StubFixture {
    /// A film with its index behind the media.
    static var indexBehind: Data { get throws { try film("index-behind.mp4") } }
    /// A film with its index in front of the media.
    static var indexInFront: Data { get throws { try film("index-in-front.mp4") } }

    /// The position of a box at the top level of a film.
    ///
    /// - Parameters:
    ///   - type: The type of the box.
    ///   - film: The film.
    /// - Returns: The box's range, with its header.
    /// - Throws: If there is no such box.
    static func box(_ type: String, of film: Data) throws -> Range<Int> {
        var offset = 0
        while offset + 8 <= film.count {
            let size = film[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            if Data(type.utf8) == film[offset + 4..<offset + 8] { return offset..<offset + size }
            offset += size
        }
        Issue.record("no \(type)")
        throw CancellationError()
    }

    /// Bytes that are not a film.
    ///
    /// - Parameter count: The number of bytes.
    /// - Returns: The bytes, the same every time.
    static func noise(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
    }

    private static func film(_ name: String) throws -> Data {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        return try Data(contentsOf: tests.appendingPathComponent("Fixtures/\(name)"))
    }
}

/// The offset, length and flags of a logged request, without its outcome.
struct StubShape: Hashable, CustomStringConvertible {
    let offset: Int64
    let length: Int
    let toEnd: Bool
    let asks: Bool

    init(_ offset: Int, _ length: Int, toEnd: Bool, asks: Bool = false) {
        self.offset = Int64(offset)
        self.length = length
        self.toEnd = toEnd
        self.asks = asks
    }

    init(_ request: StubRequest) {
        offset = request.offset
        length = request.length
        toEnd = request.toEnd
        asks = request.asksInformation
    }

    var description: String { "(\(offset),\(length),\(toEnd ? "T" : "F")\(asks ? ",info" : ""))" }
}

extension StubLog {
    /// The requests, in order.
    var shapes: [StubShape] { requests.map(StubShape.init) }
}
#endif
