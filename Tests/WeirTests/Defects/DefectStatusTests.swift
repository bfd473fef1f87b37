// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import Weir
import WeirCache
import WeirProxy
import WeirSource
import WeirTestKit
import WeirTestServers

@Suite("Defects of other loaders: answers and observers", .timeLimit(.minutes(1)))
struct DefectStatusTests {
    @Test(
        "defect 2: a body with a status of 400 or more never counts as media",
        arguments: [400, 401, 403, 404, 405, 410, 418, 429, 451, 499, 500, 501, 502, 503, 504, 599]
    )
    func statuses(_ status: Int) async throws {
        let file = DefectFile()
        // The response's body has the type, the tag and the length of the real file.
        let scene = try await DefectScene { _ in file.whole(status: status) }
        let library = try scene.library()
        let media = try library.media(scene.url())
        for range in [.whole, .span(0..<2), .span(200_000..<300_000)] as [RequestedRange] {
            let failure = await DefectScene.failure(media, range)
            #expect(failure != nil, "\(range)")
        }
        #expect(media.availability.held.isEmpty)
        #expect(try await library.resources().allSatisfy { $0.heldByteCount == 0 })
        let server = try await DefectScene.proxy(media)
        let response = try await PlainClient.ask(server.port, fields: ["Range: bytes=0-1"])
        #expect(response.status >= 400)
        await server.shutdown()
        await library.close()
        await scene.end()
    }

    /// Calls the library back from an observer; the test creates the library after the observer.
    private final class Caller: Sendable {
        let library = Mutex<MediaLibrary?>(nil)
        let kinds = Mutex<Set<String>>([])
        let url: URL

        init(_ url: URL) {
            self.url = url
        }

        func told(_ event: SourceEvent) {
            let kind = String("\(event)".prefix { $0 != "(" })
            self.kinds.withLock { _ = $0.insert(kind) }
            self.callBack()
        }

        func callBack() {
            guard let library = self.library.withLock({ $0 }) else { return }
            let media = library.media(self.url)
            _ = media.availability
            _ = media.residentSlice(.whole)
            _ = media.availabilityChanges()
            _ = media.events()
            _ = library.events()
            _ = library.totals.snapshot
            library.cacheLimits.byteCount = 1 << 30
        }
    }

    @Test("defect 2: an observer is called without a lock, so it may call back")
    func observer() async throws {
        let (old, new) = (DefectFile(), DefectFile(seed: 2))
        let hasChanged = Mutex(false)
        let scene = try await DefectScene { request in
            if request.index == 0 { return DefectFile.redirect(to: "/moved.mp3") }
            if request.index == 1 { return DefectFile.text(503, "text/plain", "busy") }
            return hasChanged.withLock { $0 } ? new.answer(request) : old.answer(request)
        }
        let caller = Caller(try scene.url())
        let library = try scene.library {
            $0.observer = { caller.told($0) }
            $0.load.revalidation = .always
        }
        caller.library.withLock { $0 = library }
        let media = try library.media(scene.url())
        // A listener of events may call back, too.
        let events = media.events()
        let listening = Task { for await _ in events { caller.callBack() } }
        let server = try await ProxyServer.start(
            ProxyConfiguration(secret: nil),
            router: CallingRouter(media: media, caller: caller),
            onEvent: { _ in caller.callBack() }
        )
        let response = try await PlainClient.ask(server.port, fields: ["Range: bytes=0-199999"])
        #expect(response.body.elementsEqual(old.bytes[..<200_000]))
        hasChanged.withLock { $0 = true }
        let isRight = try await DefectScene.isRight(media, 0..<400_000, of: new.bytes)
        #expect(isRight)
        await server.shutdown()
        await library.close()
        await listening.value
        let expected: Set = ["requested", "answered", "received", "redirected", "retrying"]
        #expect(caller.kinds.withLock { $0 }.isSuperset(of: expected.union(["changed"])))
        caller.library.withLock { $0 = nil }
        await scene.end()
    }

    private struct CallingRouter: ProxyRouter {
        let media: Media
        let caller: Caller
        func source(for target: String) -> (any ByteSource)? {
            self.caller.callBack()
            return self.media
        }
    }
}
