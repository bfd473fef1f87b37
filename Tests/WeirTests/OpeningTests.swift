// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirCache
import WeirClouds
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("Opening a library")
struct OpeningTests {
    private let folder = TemporaryDirectory()

    /// This test needs a main actor that no other work blocks.
    @MainActor
    @Test("keeps the caller's actor free, and gives a library that works")
    func leavesActor() async throws {
        let turns = Watched(0)
        let isOver = Watched(false)
        let other = Task { @MainActor in
            while !isOver.value {
                turns.update { $0 += 1 }
                await Task.yield()
            }
        }
        let library = try await MediaLibrary.open(directory: URL(filePath: self.folder.path))
        isOver.update { $0 = true }
        await other.value
        #expect(turns.value > 0)
        #expect(library.hasCache)
        #expect(try await library.resources().isEmpty)
        await library.close()
    }

    @Test("fails like the initializer")
    func fails() async throws {
        let file = self.folder.path(of: "file")
        try Data([1]).write(to: URL(filePath: file))
        await #expect(throws: CacheError.self) {
            try await MediaLibrary.open(directory: URL(filePath: file))
        }
        let other = try #require(URL(string: "http://h/folder"))
        await #expect { try await MediaLibrary.open(directory: other) } throws: { error in
            (error as? SourceError)?.code == .invalidRequest
        }
    }

    @Test("an origin of the application may use the library while a medium of it is made")
    func makesOriginOutsideOfLocks() async throws {
        let library = try await MediaLibrary.open(directory: URL(filePath: self.folder.path))
        let media = library.storage(
            .custom { _ in
                Calling { _ = library.media(ScriptedSource(length: 1), identifiedBy: "inner") }
            }
        ).media("/a.mp3")
        #expect(media.display == "calling:/a.mp3")
        await library.close()
    }

    /// A service that calls a closure whenever a caller requests a display name.
    private struct Calling: CloudService {
        let call: @Sendable () -> Void
        var authority: String { "calling.test" }
        var credentialScope: CredentialScope { .everyone }
        var describesBytes: Bool { false }
        var locatesEachRequest: Bool { false }

        func displayName(of path: FolderPath) -> String {
            self.call()
            return "calling:\(path)"
        }

        func identity(of path: FolderPath) -> String { "calling:\(path)" }

        func describe(_ path: FolderPath) async throws -> FolderEntry {
            FolderEntry(name: "a.mp3", kind: .file)
        }

        func list(_ path: FolderPath) -> FolderPages { FolderPages { { nil } } }

        func locate(_ path: FolderPath, range: RequestedRange, after refused: OriginLocation?)
            async throws -> CloudLocation
        {
            CloudLocation(
                OriginLocation(url: try OriginURL("http://calling.test/a.mp3")),
                validity: .untilRefused
            )
        }

        func ruling(on refusal: OriginFailure, about path: FolderPath) async -> FailureRuling {
            .standard
        }
    }
}
