// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("TypedSource", .timeLimit(.minutes(2)))
struct TypedSourceTests {
    private struct Fault: Error, Equatable {}

    /// A FLAC file whose origin does not know its type.
    private static func flac(
        mediaType: MediaType? = .octetStream,
        name: String? = nil,
        length: Int = 20_000
    ) -> ScriptedResource {
        let content = Array("fLaC".utf8) + PatternBytes.bytes(in: 0..<Int64(length - 4))
        var resource = ScriptedResource(bytes: content)
        resource.mediaType = mediaType
        resource.name = name
        resource.validator = .revision("flac")
        return resource
    }

    private static func readAll(_ reading: ByteReading) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in reading {
            #expect(chunk.range.lowerBound == reading.lowerBound + Int64(bytes.count))
            bytes += try chunk.bytes()
        }
        return bytes
    }

    @Test("it keeps the contract", arguments: ByteSourceContract.clauses, [100, 16_384])
    func contract(_ clause: ByteSourceContract.Clause, chunkSize: Int) async throws {
        let contract = ByteSourceContract(abilities: .all, readAhead: 512) { resource in
            let origin = resource.makeOrigin(chunkSize: chunkSize)
            return ContractSubject(TypedSource(origin), over: origin)
        }
        #expect(try await clause.check(contract) == .kept)
    }

    @Test("it keeps the contract in front of a cache", arguments: ByteSourceContract.clauses)
    func contractInFrontOfCache(_ clause: ByteSourceContract.Clause) async throws {
        let contract = ByteSourceContract { resource in
            let held = RangeSet((1_000..<100_000).clamped(to: 0..<resource.length))
            return ContractSubject(TypedSource(ResidentSource(resource.scripted, held: held)))
        }
        try await clause.check(contract)
    }

    @Test(
        "a reading from the start is typed by its own bytes and loses no byte",
        arguments: [1, 3, 300, 16_384]
    )
    func fromTheStart(chunkSize: Int) async throws {
        let resource = Self.flac(mediaType: .mpegAudio, name: "Song.mp3")
        let base = ScriptedSource(resource, chunkSize: chunkSize)
        let reading = try await TypedSource(base).read(.whole)
        #expect(reading.resource.mediaType == .flac)
        #expect(reading.resource.length == 20_000)
        #expect(base.log.byteCount <= max(512, Int64(chunkSize)))
        #expect(try await Self.readAll(reading) == resource.bytes(in: 0..<20_000))
        #expect(base.log.demands.count == 1)
        #expect(base.log.descriptionCount == 0)
        #expect(base.log.byteCount == 20_000)
    }

    @Test("a known type is kept: the next reading does not wait")
    func remembered() async throws {
        let base = ScriptedSource(Self.flac())
        let source = TypedSource(base)
        _ = try await source.read(.whole)
        let before = base.log.byteCount
        for range in [RequestedRange.whole, .from(9_000), .suffix(5), .span(0..<1)] {
            #expect(try await source.read(range).resource.mediaType == .flac)
        }
        #expect(try await source.describe().mediaType == .flac)
        #expect(base.log.byteCount == before)
        #expect(base.log.demands.count == 5)
    }

    @Test("a reading from elsewhere has the type of the header or name until the start was seen")
    func fromElsewhere() async throws {
        for (header, name, word) in [
            (MediaType.mpegAudio, nil, MediaType.mpegAudio), (.octetStream, "a.ogg", .oggAudio),
            (.octetStream, "a.php", nil), (.octetStream, nil, nil),
        ] as [(MediaType, String?, MediaType?)] {
            let base = ScriptedSource(Self.flac(mediaType: header, name: name))
            let source = TypedSource(base)
            #expect(try await source.read(.from(5_000)).resource.mediaType == word)
            #expect(base.log.byteCount == 0)
            #expect(base.log.demands.count == 1)
            #expect(try await source.read(.whole).resource.mediaType == .flac)
            #expect(try await source.read(.from(5_000)).resource.mediaType == .flac)
            #expect(base.log.demands.count == 3)
        }
    }

    @Test("first bytes on disk type everything, and are read from disk once")
    func residentHead() async throws {
        var resource = Self.flac(mediaType: .mpegAudio)
        resource.validator = nil
        let base = ResidentSource(resource, held: RangeSet([0..<512, 9_000..<9_500]))
        let source = TypedSource(base)
        let slice = try #require(source.residentSlice(.from(9_000)))
        #expect(slice.resource.mediaType == .flac)
        #expect(slice.range == 9_000..<9_500)
        #expect(base.file.readCount == 1)
        #expect(try await source.read(.from(10_000)).resource.mediaType == .flac)
        #expect(try await source.describe().mediaType == .flac)
        #expect(source.residentSlice(.whole)?.resource.mediaType == .flac)
        #expect(base.file.readCount == 1)
        #expect(base.demands.count == 1)
    }

    @Test("a slice whose start is not held has the type of the header")
    func residentElsewhere() throws {
        let base = ResidentSource(Self.flac(mediaType: .mpegAudio), held: RangeSet(9_000..<9_500))
        let source = TypedSource(base)
        let slice = try #require(source.residentSlice(.from(9_000)))
        #expect(slice.resource.mediaType == .mpegAudio)
        // Front ends keep heads for a description, and know it again by its identity.
        #expect(source.residentSlice(.from(9_100))?.resource.isCopy(of: slice.resource) == true)
        #expect(source.residentSlice(.whole) == nil)
        #expect(base.file.readCount == 0)
        base.hold(0..<9_000)
        #expect(source.residentSlice(.from(9_000))?.resource.mediaType == .flac)
        #expect(source.availability == base.availability)
    }

    @Test("a resident first chunk is typed without loading all of it")
    func residentFirstChunk() async throws {
        let base = ResidentSource(Self.flac(), held: RangeSet(0..<20_000), chunkSize: 20_000)
        let reading = try await TypedSource(base).read(.whole)
        #expect(reading.resource.mediaType == .flac)
        let chunk = try #require(try await reading.makeAsyncIterator().next())
        guard case .resident(let slice) = chunk.content else {
            Issue.record("the chunk was copied into memory")
            return
        }
        #expect(slice.range == 0..<20_000)
        #expect(base.file.readCount == 1)
    }

    @Test("a description reads the first bytes only if header and name give no type")
    func describing() async throws {
        let spoken = ScriptedSource(Self.flac(mediaType: .octetStream, name: "a.ogg"))
        #expect(try await TypedSource(spoken).describe().mediaType == .oggAudio)
        #expect(spoken.log.demands.isEmpty)
        let silent = ScriptedSource(Self.flac())
        let source = TypedSource(silent)
        for _ in 0..<3 { #expect(try await source.describe().mediaType == .flac) }
        #expect(silent.log.demands.map(\.range) == [.span(0..<512)])
        #expect(silent.log.byteCount <= 512)
        #expect(silent.log.descriptionCount == 3)
    }

    @Test("a description without a type is better than an error")
    func undescribable() async throws {
        let base = ScriptedSource(Self.flac())
        base.fail(at: 0, with: Fault(), times: nil)
        let description = try await TypedSource(base).describe()
        #expect(description.mediaType == nil)
        #expect(description.length == 20_000)
        let empty = ScriptedSource(ScriptedResource(bytes: []))
        #expect(try await TypedSource(empty).describe().length == 0)
        #expect(empty.log.demands.isEmpty)
    }

    @Test("a short reading asks for 512 bytes only if nothing else gives a type")
    func shortRanges() async throws {
        let spoken = ScriptedSource(Self.flac(mediaType: .mpegAudio))
        let first = try await TypedSource(spoken).read(.span(0..<2))
        #expect(first.resource.mediaType == .mpegAudio)
        #expect(spoken.log.demands.count == 1)
        let silent = ScriptedSource(Self.flac())
        let source = TypedSource(silent)
        let reading = try await source.read(.span(0..<2))
        #expect(reading.resource.mediaType == .flac)
        #expect(reading.range == 0..<2)
        #expect(try await Self.readAll(reading) == Array("fL".utf8))
        #expect(silent.log.demands.map(\.range) == [.span(0..<2), .span(0..<512)])
        #expect(try await source.read(.span(0..<2)).resource.mediaType == .flac)
        #expect(silent.log.demands.count == 3)
    }

    @Test("a name chooses among the possible types of a container")
    func refined() async throws {
        var resource = ScriptedResource(
            bytes: MediaSamples.fileType("isom") + MediaSamples.zeros(9_000)
        )
        resource.name = "Chapter.1.M4A"
        resource.mediaType = .octetStream
        let named = TypedSource(ScriptedSource(resource, chunkSize: 10))
        #expect(try await named.read(.whole).resource.mediaType == .mp4Audio)
        resource.name = "Chapter.1"
        let unnamed = TypedSource(ScriptedSource(resource, chunkSize: 10))
        #expect(try await unnamed.read(.whole).resource.mediaType == .mp4Video)
    }

    @Test("a new generation gets a new type")
    func generations() async throws {
        let base = ScriptedSource(Self.flac())
        let source = TypedSource(base)
        #expect(try await source.read(.whole).resource.mediaType == .flac)
        var page = ScriptedResource(bytes: Array("<html><body>Gone for lunch</body></html>".utf8))
        page.validator = .revision("page")
        base.replace(with: page)
        #expect(try await source.read(.from(3)).resource.mediaType == nil)
        #expect(try await source.read(.whole).resource.mediaType == .html)
        #expect(try await source.read(.from(3)).resource.mediaType == .html)
    }

    @Test("without a validator every reading from the start is typed, and no type is kept")
    func nothingToRememberBy() async throws {
        var resource = Self.flac()
        resource.validator = nil
        let base = ScriptedSource(resource)
        let source = TypedSource(base)
        for _ in 0..<2 {
            #expect(try await source.read(.whole).resource.mediaType == .flac)
            #expect(try await source.read(.from(9)).resource.mediaType == nil)
        }
        #expect(base.log.demands.count == 4)
    }

    @Test("an error after the first bytes comes after them, and an earlier error comes at once")
    func failures() async throws {
        let resource = ScriptedResource(length: 5_000)
        let base = ScriptedSource(resource, chunkSize: 100)
        base.fail(at: 250, with: Fault())
        let reading = try await TypedSource(base).read(.whole)
        let iterator = reading.makeAsyncIterator()
        var count = 0
        await #expect(throws: Fault.self) {
            while let chunk = try await iterator.next() { count += chunk.count }
        }
        #expect(count == 250)
        base.fail(at: 0, with: Fault())
        await #expect(throws: Fault.self) { try await TypedSource(base).read(.whole) }
    }

    @Test("a typed reading that is dropped leaves the base, whether read or not")
    func departure() async throws {
        let base = ScriptedSource(ScriptedResource(length: 100_000), chunkSize: 100)
        let source = TypedSource(base)
        _ = try await source.read(.whole)
        #expect(base.log.readings.map(\.state) == [.left])
        base.replace(with: ScriptedResource(length: 100_000, seed: 2))
        var iterator: ByteReading.AsyncIterator? = try await source.read(.whole).makeAsyncIterator()
        for _ in 0..<8 { _ = try await iterator?.next() }
        #expect(base.log.readings.map(\.state) == [.left, .running])
        iterator = nil
        #expect(iterator == nil)
        #expect(base.log.readings.map(\.state) == [.left, .left])
    }

    @Test("a reader that is cancelled while it waits for the first bytes leaves at once")
    func cancellation() async throws {
        let base = ScriptedSource(ScriptedResource(length: 100_000), chunkSize: 100)
        let gate = base.hold(before: 300)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(throws: CancellationError.self) {
                    try await TypedSource(base).read(.whole)
                }
            }
            try? await gate.waitForWaiters(1)
            group.cancelAll()
        }
        #expect(base.log.readings.map(\.state) == [.left])
    }

    @Test(
        "on request a name gets the extension of the type if its own is another or missing",
        arguments: [
            ("song", "song.flac"), ("song.flac", "song.flac"), ("song.bin", "song.flac"),
            ("song.mp3", "song.mp3.flac"), ("Mr. Song", "Mr. Song.flac"), ("song.fla", "song.fla"),
        ]
    )
    func names(_ name: String, _ wanted: String) async throws {
        let source = TypedSource(ScriptedSource(Self.flac(name: name)), isNamedByType: true)
        #expect(try await source.read(.whole).resource.name == wanted)
        #expect(try await source.describe().name == wanted)
        let plain = TypedSource(ScriptedSource(Self.flac(name: name)))
        #expect(try await plain.read(.whole).resource.name == name)
    }

    @Test("unknown bytes that are not text are reported once, and other bytes never")
    func unrecognised() async throws {
        let noise = PatternBytes.bytes(in: 0..<2_000)
        for (bytes, count) in [(noise, 1), (Array("just text\n".utf8), 0), ([], 0)] {
            var resource = ScriptedResource(bytes: bytes)
            resource.validator = .revision("1")
            let told = Watched(0)
            let source = TypedSource(ScriptedSource(resource)) { told.update { $0 += 1 } }
            for _ in 0..<3 { _ = try await Self.readAll(try await source.read(.whole)) }
            #expect(told.value == count)
        }
        let told = Watched(0)
        let source = TypedSource(ScriptedSource(Self.flac())) { told.update { $0 += 1 } }
        _ = try await Self.readAll(try await source.read(.whole))
        #expect(told.value == 0)
    }
}
