// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("Bytes in memory and on disk")
struct ByteMemoryTests {
    private final class Owner: Sendable {
        let bytes: [UInt8] = [0, 1, 2, 3, 4, 5]
    }

    private struct ReadError: Error {}

    @Test("a part of a part has the right bytes, in every small case")
    func slicing() {
        let all: [UInt8] = [10, 11, 12, 13, 14, 15]
        let memory = ByteMemory(all)
        for lower in 0...6 {
            for upper in lower...6 {
                let part = memory[lower..<upper]
                #expect(part.count == upper - lower)
                #expect(part.bounds == lower..<upper)
                #expect(part.withUnsafeBytes(Array.init) == Array(all[lower..<upper]))
                for inner in 0...part.count {
                    let rest = part[inner..<part.count]
                    #expect(rest.withUnsafeBytes(Array.init) == Array(all[(lower + inner)..<upper]))
                    #expect(rest.bounds == (lower + inner)..<upper)
                }
            }
        }
    }

    @Test("the owner lives as long as a view of it, and can be recovered")
    func ownership() {
        weak var gone: Owner?
        do {
            var view: ByteMemory?
            do {
                let owner = Owner()
                gone = owner
                let whole = ByteMemory(owner: owner, count: 6) { owner, body in
                    owner.bytes.withUnsafeBytes(body)
                }
                view = whole[2..<4]
            }
            #expect(gone != nil)
            #expect(view?.owner is Owner)
            #expect(view?.withUnsafeBytes(Array.init) == [2, 3])
            view = nil
        }
        #expect(gone == nil)
    }

    @Test("pinned memory and its parts are viewed in place; lent memory is copied once")
    func pinning() throws {
        let copied = ByteMemory(copying: [1, 2, 3, 4])
        let address = try #require(copied.address)
        #expect(copied.pinned.address == address)
        #expect(copied[1..<4].address == address + 1)
        let lent = ByteMemory([1, 2, 3, 4])[1..<3]
        #expect(lent.address == nil)
        let pinned = lent.pinned
        #expect(pinned.address != nil)
        #expect(pinned == lent && pinned.hashValue == lent.hashValue)
        #expect(pinned.array == [2, 3] && pinned[1] == 3)
        #expect(ByteMemory.empty.isEmpty && ByteMemory.empty == ByteMemory([]))
    }

    @Test("an error of the borrower is thrown unchanged")
    func errors() {
        #expect(throws: ReadError.self) {
            try ByteMemory([1]).withUnsafeBytes { (_) throws(ReadError) in throw ReadError() }
        }
    }

    @Test("a chunk in memory or on disk is cut to any limits like its bytes")
    func clamping() throws {
        let bytes = PatternBytes.bytes(in: 0..<8)
        let file = TemporaryFile([99] + bytes)
        let slice = ResidentSlice(
            file: file,
            fileOffset: 1,
            range: 100..<108,
            resource: ResourceDescription(length: 1_000)
        )
        for chunk in [ByteChunk(at: 100, memory: ByteMemory(bytes)), ByteChunk(slice)] {
            #expect(chunk.count == 8)
            #expect(try chunk.bytes() == bytes)
            for lower: Int64 in 97...111 {
                for upper in lower...111 {
                    let part = chunk.clamped(to: lower..<upper)
                    let expected = (max(100, lower)..<max(max(100, lower), min(108, upper)))
                    guard !expected.isEmpty else {
                        #expect(part == nil)
                        continue
                    }
                    #expect(part?.range == expected)
                    let place = Int(expected.lowerBound - 100)..<Int(expected.upperBound - 100)
                    #expect(try part?.bytes() == Array(bytes[place]))
                }
            }
            #expect(chunk.clamped(to: 0..<Int64.max)?.range == 100..<108)
        }
    }

    @Test("a file shorter than its slice is an error of the cache, not a short read")
    func shortFile() {
        let slice = ResidentSlice(
            file: TemporaryFile([1, 2, 3]),
            fileOffset: 0,
            range: 0..<4,
            resource: ResourceDescription(length: 4)
        )
        let error = #expect(throws: SourceError.self) { try slice.load() }
        #expect(error?.code == .cacheFailed)
        #expect(error?.range == 0..<4)
    }

    @Test("a slice with another description keeps its bytes")
    func describedSlice() throws {
        let slice = ResidentSlice(
            file: TemporaryFile([1, 2, 3]),
            fileOffset: 1,
            range: 10..<12,
            resource: ResourceDescription(length: 20)
        )
        let described = slice.described(as: ResourceDescription(length: 20, mediaType: .flac))
        #expect(described.resource.mediaType == .flac)
        #expect(described.range == 10..<12)
        #expect(try described.load().withUnsafeBytes(Array.init) == [2, 3])
    }
}
