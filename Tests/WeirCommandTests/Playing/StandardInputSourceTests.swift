// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("Standard input as a source")
struct StandardInputSourceTests {
    /// A pipe, and the source that reads it.
    private static func pipe() throws -> (source: StandardInputSource, writer: FileHandle) {
        let pipe = Pipe()
        let input = dup(pipe.fileHandleForReading.fileDescriptor)
        return (try StandardInputSource(input), pipe.fileHandleForWriting)
    }

    private func bytes(_ source: StandardInputSource, _ range: RequestedRange) async throws
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        for try await chunk in try await source.read(range) { bytes += try chunk.memory().array }
        return bytes
    }

    @Test("gives its bytes, from the start and from earlier offsets")
    func reads() async throws {
        let (source, writer) = try Self.pipe()
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let writing = Task.detached {
            try writer.write(contentsOf: Data(content))
            try writer.close()
        }
        #expect(try await source.describe().length == nil)
        #expect(try await self.bytes(source, .whole) == content)
        try await writing.value
        #expect(try await source.describe().length == 200_000)
        #expect(
            try await self.bytes(source, .span(100_000..<100_010))
                == Array(content[100_000..<100_010])
        )
        #expect(try await self.bytes(source, .suffix(7)) == content.suffix(7))
        await #expect(throws: SourceError.self) { try await source.read(.from(200_001)) }
    }

    @Test("reads no more than a reader wants, and a cancelled reader harms no other")
    func leaves() async throws {
        let (source, writer) = try Self.pipe()
        try writer.write(contentsOf: Data([1, 2, 3]))
        #expect(try await self.bytes(source, .span(0..<3)) == [1, 2, 3])
        let waiting = Task { try await self.bytes(source, .from(3)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try writer.write(contentsOf: Data([4]))
        try writer.close()
        #expect(try await self.bytes(source, .from(2)) == [3, 4])
    }

    @Test("gives the last bytes once the end is known")
    func suffix() async throws {
        let (source, writer) = try Self.pipe()
        try writer.write(contentsOf: Data([1, 2, 3]))
        let last = Task { try await self.bytes(source, .suffix(2)) }
        try writer.close()
        #expect(try await last.value == [2, 3])
    }
}
