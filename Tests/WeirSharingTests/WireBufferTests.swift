// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirSharing

@Suite("The bytes of a message")
struct WireBufferTests {
    @Test("an integer is written with its least significant byte first, and read back")
    func integers() {
        var buffer = WireBuffer()
        buffer.append(integer: UInt8(0xA1))
        buffer.append(integer: UInt32(0x0102_0304))
        buffer.append(integer: Int64(-2))
        #expect(buffer.bytes == [0xA1, 4, 3, 2, 1, 0xFE] + [UInt8](repeating: 0xFF, count: 7))
        #expect(buffer.takeInteger(UInt8.self) == 0xA1)
        #expect(buffer.takeInteger(UInt32.self) == 0x0102_0304)
        #expect(buffer.bytes == [0xFE] + [UInt8](repeating: 0xFF, count: 7))
        #expect(buffer.takeInteger(Int64.self) == -2)
        #expect(buffer.count == 0 && buffer.takeInteger(UInt8.self) == nil)
    }

    @Test("nothing is read when too few bytes are left")
    func tooFew() {
        for count in 0..<8 {
            let bytes = PatternBytes.bytes(in: 0..<Int64(count))
            var buffer = WireBuffer(bytes)
            #expect(buffer.takeInteger(UInt64.self) == nil)
            #expect(buffer.take(count + 1) == nil && buffer.take(.max) == nil)
            #expect(buffer.take(-1) == nil && buffer.take(.min) == nil)
            #expect(buffer.count == count)
            #expect(buffer.take(count).map { Array($0) } == bytes)
        }
    }

    @Test("buffers are equal if their remaining bytes are")
    func equality() {
        var buffer = WireBuffer([9, 1, 2])
        #expect(buffer != WireBuffer([1, 2]))
        _ = buffer.take(1)
        #expect(buffer == WireBuffer([1, 2]))
        #expect(buffer.hashValue == WireBuffer([1, 2]).hashValue)
    }
}
