// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

/// The examples of the module's landing page.
@Suite("The landing page")
struct LandingPageTests {
    @Test("its reader reads")
    func reader() async throws {
        #expect(try await firstBytes(of: Silence()) == [UInt8](repeating: 0, count: 512))
    }

    @Test("its source has a description, and cuts, ends and refuses correctly")
    func source() async throws {
        let source = Silence()
        #expect(try await source.read(.suffix(5)).range == 999_995..<1_000_000)
        var count = 0
        for try await chunk in try await source.read(.from(100_000)) { count += chunk.count }
        #expect(count == 900_000)
        let error = await #expect(throws: SourceError.self) {
            try await source.read(.from(1_000_001))
        }
        #expect(error?.code == .rangeNotSatisfiable)
    }
}

private func firstBytes(of source: some ByteSource) async throws -> [UInt8] {
    let reading = try await source.read(.span(0..<512))
    print(reading.resource.mediaType ?? .octetStream, reading.resource.length ?? 0)
    var bytes: [UInt8] = []
    for try await chunk in reading {
        bytes += try chunk.bytes()
    }
    return bytes
}

private struct Silence: ByteSource {
    let length: Int64 = 1_000_000

    func describe() async throws -> ResourceDescription {
        try Task.checkCancellation()
        return ResourceDescription(length: self.length)
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        let description = try await self.describe()
        guard demand.version?.length ?? self.length == self.length, demand.version?.validator == nil
        else {
            throw SourceError(.changed, "The silence changed while it was read; start again.")
        }
        guard let range = demand.range.resolved(inLength: self.length) else {
            throw SourceError.pastTheEnd(demand.range, length: self.length)
        }
        return ByteReading(
            resource: description,
            lowerBound: range.lowerBound,
            upperBound: range.upperBound,
            producer: Zeros(range)
        )
    }
}

private actor Zeros: ChunkProducer {
    private var rest: Range<Int64>

    init(_ range: Range<Int64>) { self.rest = range }

    func next() async throws -> ByteChunk? {
        try Task.checkCancellation()
        guard !self.rest.isEmpty else { return nil }
        let count = min(65_536, Int(self.rest.upperBound - self.rest.lowerBound))
        defer { self.rest = (self.rest.lowerBound + Int64(count))..<self.rest.upperBound }
        let zeros = [UInt8](repeating: 0, count: count)
        return ByteChunk(at: self.rest.lowerBound, memory: ByteMemory(zeros))
    }

    nonisolated func cancel() {}
}
