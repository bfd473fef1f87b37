// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirProxy
import WeirSource
import WeirTestKit

@testable import WeirCache
@testable import WeirConsole

/// A library with cached resources, and a console that shows it; the test moves the clock.
final class ConsoleScene: Sendable {
    static let secret = "0123456789abcdef0123456789abcdef"

    let clock = ManualClock()
    let registry = PrometheusRegistry()
    let events = ConsoleEvents()
    let library: MediaLibrary
    let subject: ConsoleSubject
    let console: Console
    /// How often the console has looked at the library.
    let looks: Watched<Int>
    /// The responses in progress, as the proxy reports them.
    let responses: Watched<[ActiveResponse]>
    /// The paths of the served resources, by identifier.
    let paths: Watched<[String: String]>
    /// The served media, by identifier.
    let media: Watched<[String: Media]>
    /// The served places, as the console shows them.
    let places: Watched<[ConsoleState.Place]>
    let trouble: Watched<String?>
    private let folder: TemporaryDirectory

    /// Opens a library whose cache holds some resources.
    convenience init(_ resources: [KeptResource] = []) throws {
        let folder = TemporaryDirectory()
        let cache = try Cache(directory: folder.path)
        for resource in resources { try cache.keep(resource) }
        cache.close()
        try self.init(in: folder)
    }

    /// Opens a library in the folder of another library, which owns the cache.
    convenience init(beside owner: ConsoleScene) throws {
        try self.init(in: owner.folder)
    }

    private init(in folder: TemporaryDirectory) throws {
        var configuration = MediaLibrary.Configuration(directory: folder.path)
        configuration.scrubRate = nil
        let library = try MediaLibrary(configuration)
        let looks = Watched(0)
        let responses = Watched<[ActiveResponse]>([])
        let paths = Watched<[String: String]>([:])
        let media = Watched<[String: Media]>([:])
        let places = Watched<[ConsoleState.Place]>([])
        let trouble = Watched<String?>(nil)
        self.folder = folder
        self.library = library
        self.looks = looks
        self.responses = responses
        self.paths = paths
        self.media = media
        self.places = places
        self.trouble = trouble
        self.subject = ConsoleSubject(
            library: library,
            places: { places.value },
            stations: { [] },
            responses: {
                looks.update { $0 += 1 }
                return responses.value
            },
            identify: { source in
                ConsoleSubject.Identity(resource: (source as? NamedSource)?.identifier)
            },
            path: { paths.value[$0.identifier] },
            media: { media.value[$0.identifier] },
            trouble: { trouble.value }
        )
        self.console = Console(
            self.subject,
            secret: try #require(ProxySecret(Self.secret)),
            metrics: self.registry,
            events: self.events,
            version: "1.2.3",
            timeline: Timeline(self.clock)
        )
    }

    /// Runs a test, and then closes the library.
    static func run(
        _ resources: [KeptResource] = [],
        _ test: (ConsoleScene) async throws -> Void
    ) async throws {
        let scene = try ConsoleScene(resources)
        do {
            try await test(scene)
        } catch {
            await scene.library.close()
            throw error
        }
        await scene.library.close()
    }

    /// Waits until the feed sleeps, and then advances the clock to the feed's next look.
    func nextLook(after pause: Duration = .milliseconds(200)) async {
        await self.clock.waitForSleepers(1)
        self.clock.advance(by: pause)
    }

    /// The resources that the cache lists.
    func resources() async -> [CachedResource] {
        do {
            return try await self.library.resources()
        } catch {
            Issue.record(error)
            return []
        }
    }

    /// Sends a request as a page that knows the secret.
    func ask(
        _ path: String,
        _ method: PageRequest.Method = .get,
        query: String? = nil
    ) async -> Answer {
        await self.answer(
            PageRequest(
                method: method,
                path: path,
                query: query,
                authorization: "Bearer \(Self.secret)"
            )
        )
    }

    /// Sends an action for a resource.
    func act(_ name: String, _ resource: String) async -> Answer {
        await self.ask("/actions/\(name)", .post, query: "resource=\(resource)")
    }

    func answer(_ request: PageRequest) async -> Answer {
        Answer(await self.console.answer(request))
    }

    /// Changes a bit of the cache's only data file.
    func rot(at offset: UInt64) throws {
        let names = FileManager.default.enumerator(atPath: self.folder.path)
        let name = try #require(
            names?.compactMap { $0 as? String }.first { $0.hasSuffix(".data") }
        )
        let file = try FileHandle(forUpdating: URL(filePath: "\(self.folder.path)/\(name)"))
        defer { try? file.close() }
        try file.seek(toOffset: offset)
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data([byte ^ 2]))
    }
}

/// A response, with its body if the body is in memory.
struct Answer: Sendable {
    let status: Int
    let fields: [(name: String, value: String)]
    let bytes: [UInt8]
    let reading: ByteReading?

    init(_ answer: PageAnswer) {
        self.status = answer.status
        self.fields = answer.fields
        switch answer.body {
        case .bytes(let memory): (self.bytes, self.reading) = (memory.array, nil)
        case .reading(let reading): (self.bytes, self.reading) = ([], reading)
        }
    }

    var text: String { String(decoding: self.bytes, as: UTF8.self) }

    /// The value of a field; `nil` if the response has the field twice or not at all.
    subscript(_ name: String) -> String? {
        let values = self.fields.filter { $0.name == name }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }

    /// The body as a JSON object.
    var object: [String: Any] {
        let value = try? JSONSerialization.jsonObject(with: Data(self.bytes))
        return value as? [String: Any] ?? [:]
    }

    /// All bytes of a reading.
    func read() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in try #require(self.reading) { bytes += try chunk.bytes() }
        return bytes
    }
}

/// A source that the console identifies as a cached resource.
struct NamedSource: ByteSource {
    let identifier: String

    func describe() async throws -> ResourceDescription { ResourceDescription(length: 1) }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        throw SourceError(.offline, "Nothing is read.")
    }
}

/// The start of a resource that a cache holds.
struct KeptResource: Sendable {
    /// The number of the resource, from which its name and its bytes follow.
    let number: Int
    let held: Int64
    let length: Int64
    let name: String?

    /// A resource with `held` bytes at its start; `length` defaults to `held`, and `name` is the origin's.
    static func kept(
        _ number: Int,
        _ held: Int64,
        of length: Int64? = nil,
        name: String? = nil
    ) -> KeptResource {
        KeptResource(number: number, held: held, length: length ?? held, name: name)
    }

    fileprivate var key: ResourceKey { Self.key(self.number) }

    fileprivate static func key(_ number: Int) -> ResourceKey {
        ResourceKey(
            location: "https://example.org/\(number).mp3",
            account: "",
            display: "https://example.org/\(number).mp3"
        )
    }
}

extension Cache {
    /// The identifier of a kept resource.
    static func identifier(_ number: Int) -> String { KeptResource.key(number).identifier }

    fileprivate func keep(_ resource: KeptResource) throws {
        let generation = try self.create(
            resource.key,
            description: ResourceDescription(
                length: resource.length,
                mediaType: .mpegAudio,
                validator: .entityTag("\"\(resource.number)\""),
                name: resource.name
            ),
            persistent: true
        )
        let bytes = PatternBytes.bytes(in: 0..<resource.held, seed: UInt64(resource.number))
        if !bytes.isEmpty { try generation.write(ByteMemory(bytes), at: 0) }
        generation.release()
    }
}
