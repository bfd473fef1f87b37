// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import Weir
import WeirCache
import WeirTestKit
import WeirTestServers

@Suite("Defects of other loaders: the offsets of written bytes", .timeLimit(.minutes(1)))
struct DefectPlacementTests {
    private static let file = DefectFile()

    /// Closes a library and checks the bytes that it left on the disk.
    private static func expectRightOnDisk(
        _ scene: DefectScene,
        _ library: MediaLibrary,
        _ media: Media,
        of bytes: [UInt8] = Self.file.bytes
    ) async throws {
        let held = media.availability.held
        await library.close()
        let wrong = try DefectScene.firstWrongByte(onDisk: scene.folder.path, held, of: bytes)
        #expect(wrong == nil)
    }

    @Test("defect 5: a 200 to a range request is not written at the requested offset")
    func whole() async throws {
        let scene = try await DefectScene { _ in Self.file.whole() }
        let library = try scene.library()
        let media = try library.media(scene.url())
        for range in [300_000..<400_000, 100_000..<150_000, 0..<2] as [Range<Int64>] {
            let isRight = try await DefectScene.isRight(media, range, of: Self.file.bytes)
            #expect(isRight, "\(range)")
        }
        #expect(scene.origin.requests.first?.range?.lowerBound == 300_000)
        #expect(media.availability.held.byteCount >= 150_002)
        try await Self.expectRightOnDisk(scene, library, media)
        await scene.end()
    }

    @Test("defect 5: a 200 with the Content-Range of a part is not kept as a whole")
    func namedPart() async throws {
        let scene = try await DefectScene { request in
            let range = request.range ?? 0..<Int64.max
            let steps = Self.file.part(range, limit: 100_000)
            guard case .text(let head)? = steps.first else { return steps }
            return [.text(head.replacing("HTTP/1.1 206", with: "HTTP/1.1 200"))]
                + steps.dropFirst()
        }
        let library = try scene.library()
        let media = try library.media(scene.url())
        for range in [300_000..<400_000, 0..<400_000] as [Range<Int64>] {
            let isRight = try await DefectScene.isRight(media, range, of: Self.file.bytes)
            #expect(isRight, "\(range)")
        }
        #expect(media.availability.length == 400_000)
        try await Self.expectRightOnDisk(scene, library, media)
        await scene.end()
    }

    @Test("defect 5: a 206 with other bounds than requested is kept at its true offset")
    func blocks() async throws {
        let scene = try await DefectScene { request in
            guard let range = request.range else { return Self.file.answer(request) }
            let end = min(range.upperBound, 400_000)
            return Self.file.part(
                range.lowerBound / 65_536 * 65_536..<(end + 65_535) / 65_536 * 65_536
            )
        }
        let library = try scene.library()
        let media = try library.media(scene.url())
        for range in [200_000..<200_100, 399_000..<400_000, 0..<400_000] as [Range<Int64>] {
            let isRight = try await DefectScene.isRight(media, range, of: Self.file.bytes)
            #expect(isRight, "\(range)")
        }
        try await Self.expectRightOnDisk(scene, library, media)
        await scene.end()
    }

    @Test("defect 5: a 206 that starts elsewhere than requested is not written")
    func elsewhere() async throws {
        let scene = try await DefectScene { request in
            guard let range = request.range, range.lowerBound > 0 else {
                return Self.file.answer(request)
            }
            return Self.file.part(range.lowerBound + 1..<range.upperBound)
        }
        let library = try scene.library()
        let media = try library.media(scene.url())
        _ = try await DefectScene.isRight(media, 0..<1000, of: Self.file.bytes)
        let failure = await DefectScene.failure(media, .span(200_000..<300_000))
        #expect(failure?.code == .badAnswer)
        #expect(!media.availability.held.contains(200_000))
        try await Self.expectRightOnDisk(scene, library, media)
        await scene.end()
    }

    @Test(
        "defect 5: an error in JSON is not written into the media that it interrupts",
        arguments: [200, 206, 400, 401, 403, 500]
    )
    func error(_ status: Int) async throws {
        let text = #"{"error":"quota exceeded","retry":false}"#
        let isFailing = Mutex(false)
        let scene = try await DefectScene { request in
            guard isFailing.withLock({ $0 }) else { return Self.file.answer(request) }
            return DefectFile.text(status, "application/json", text)
        }
        let library = try scene.library()
        let media = try library.media(scene.url())
        _ = try await DefectScene.isRight(media, 0..<100_000, of: Self.file.bytes)
        isFailing.withLock { $0 = true }
        let failure = await DefectScene.failure(media, .span(100_000..<200_000))
        #expect(failure != nil)
        isFailing.withLock { $0 = false }
        let isRight = try await DefectScene.isRight(media, 0..<400_000, of: Self.file.bytes)
        #expect(isRight)
        #expect(media.availability.isComplete)
        try await Self.expectRightOnDisk(scene, library, media)
        await scene.end()
    }

    @Test("defect 5: a log-in page is not kept as a song, whatever its status and type say")
    func page() async throws {
        let page = "<!DOCTYPE html><html><head><title>Sign in</title></head></html>"
        for type in ["text/html", "audio/mpeg", "application/octet-stream"] {
            let scene = try await DefectScene { _ in DefectFile.text(200, type, page) }
            let library = try scene.library()
            let media = try library.media(scene.url())
            let failure = await DefectScene.failure(media)
            #expect(failure?.code == .notMedia, "\(type)")
            #expect(try await library.resources().allSatisfy { $0.heldByteCount == 0 })
            await library.close()
            await scene.end()
        }
    }
}
