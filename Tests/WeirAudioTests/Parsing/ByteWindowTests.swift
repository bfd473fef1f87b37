// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("The bytes that a parser sees")
struct ByteWindowTests {
    private let bytes = (0..<200).map { UInt8($0) }

    @Test("Peeked and taken bytes are the stream, for chunks of any size")
    func anyCut() {
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var window = ByteWindow(offset: 1000)
            var pushed = 0
            var position = 0
            while position < self.bytes.count {
                let wanted = Int.random(in: 0...30, using: &generator)
                if let view = window.peek(wanted) {
                    #expect(view.array == Array(self.bytes[position..<position + wanted]))
                    let count = Int.random(in: 0...wanted, using: &generator)
                    if Bool.random(using: &generator) {
                        #expect(
                            window.take(count).array
                                == Array(self.bytes[position..<position + count])
                        )
                    } else {
                        window.drop(count)
                    }
                    position += count
                } else {
                    let count = window.count
                    #expect(wanted > count)
                }
                let (offset, count) = (window.offset, window.count)
                #expect(offset == Int64(1000 + position))
                #expect(count == pushed - position)
                let size = min(Int.random(in: 0...20, using: &generator), self.bytes.count - pushed)
                window.push(ByteMemory(copying: self.bytes[pushed..<pushed + size]))
                pushed += size
                if pushed == self.bytes.count, position + 30 > pushed {
                    let rest = window.take(window.count).array
                    #expect(rest == Array(self.bytes[position...]))
                    position = pushed
                }
            }
        }
    }

    @Test("Bytes that lie whole in the chunk are a view of it, also after a carried-over piece")
    func noCopy() throws {
        let chunk = ByteMemory(copying: self.bytes)
        let address = try #require(chunk.address)
        var window = ByteWindow()
        window.push(ByteMemory([1, 2, 3]))
        window.push(chunk)
        // A view across two chunks copies its bytes; the window reads as little as possible from the copy.
        _ = window.peek(50)
        window.drop(10)
        let taken = window.take(20)
        #expect(taken.address == address + 7)
        #expect(taken.array == Array(self.bytes[7..<27]))
    }

    @Test("Bytes can be skipped before they arrive")
    func skipping() {
        var window = ByteWindow()
        window.push(ByteMemory(copying: self.bytes[0..<10]))
        window.skip(50)
        let isSkipped = window.offset == 50 && window.count == 0
        #expect(isSkipped)
        window.push(ByteMemory(copying: self.bytes[10..<45]))
        let isEmpty = window.count == 0
        #expect(isEmpty)
        window.push(ByteMemory(copying: self.bytes[45..<80]))
        let five = window.take(5).array
        #expect(five == Array(self.bytes[50..<55]))
        window.skip(1000)
        window.finish()
        let endsInSkip = window.endsInSkip
        #expect(endsInSkip)
    }

    @Test("A jump drops all earlier bytes")
    func jumping() {
        var window = ByteWindow()
        window.push(ByteMemory(copying: self.bytes[0..<10]))
        window.skip(100)
        window.finish()
        window.jump(to: 7)
        let isFresh = !window.isAtEnd && window.count == 0 && window.offset == 7
        #expect(isFresh)
        window.push(ByteMemory(copying: self.bytes[7..<9]))
        let two = window.take(2).array
        #expect(two == [7, 8])
    }
}
