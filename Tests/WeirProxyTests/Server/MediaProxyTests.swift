// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("A media proxy", .timeLimit(.minutes(1)))
struct MediaProxyTests {
    private static let bytes = PatternBytes.bytes(in: 0..<70_000)

    private static func get(_ url: URL, of proxy: MediaProxy) async throws -> (Int, [UInt8]) {
        let client = try await RawClient.connect(to: proxy.port)
        let answer = try await client.get(url.path(percentEncoded: true))
        await client.close()
        return (answer.status, answer.body)
    }

    @Test("gives any source an address that ends with its name and type")
    func publishes() async throws {
        let proxy = try await MediaProxy.start()
        let song = MemorySource(bytes: Self.bytes, mediaType: .mpegAudio, name: "A Song.mp3")
        let url = try await proxy.publish(song)
        #expect(url.scheme == "http" && url.host() == "127.0.0.1" && url.port == proxy.port)
        #expect(url.lastPathComponent == "A-Song.mp3")
        #expect(url.absoluteString.hasPrefix(proxy.baseURL.absoluteString + "/"))
        let (status, bytes) = try await Self.get(url, of: proxy)
        #expect(status == 200 && bytes == Self.bytes)
        let named = try await proxy.publish(song, as: "other")
        #expect(named.lastPathComponent == "other.mp3" && named != url)
        await proxy.close()
    }

    @Test("gives a source one address, however often it is published")
    func object() async throws {
        let proxy = try await MediaProxy.start()
        let song = ScriptedSource(length: 1000)
        let first = try await proxy.publish(song)
        #expect(try await proxy.publish(song) == first)
        let other = ScriptedSource(length: 1000)
        #expect(try await proxy.publish(other) != first)
        await proxy.close()
    }

    @Test("withdraws an address, and gives another one later")
    func withdraws() async throws {
        let proxy = try await MediaProxy.start()
        let song = ScriptedSource(length: 1000)
        let url = try await proxy.publish(song)
        proxy.withdraw(url)
        #expect(try await Self.get(url, of: proxy).0 == 404)
        proxy.withdraw(url)
        let next = try await proxy.publish(song)
        #expect(next != url)
        #expect(try await Self.get(next, of: proxy).0 == 200)
        await proxy.close()
    }

    @Test("reports each request, and ends its events with itself")
    func events() async throws {
        let proxy = try await MediaProxy.start()
        let events = proxy.events()
        let url = try await proxy.publish(
            MemorySource(bytes: Self.bytes, mediaType: .mpegAudio, name: "a.mp3")
        )
        _ = try await Self.get(url, of: proxy)
        await proxy.close()
        var finished: [ProxyRequestRecord] = []
        for await case .requestFinished(let record) in events where record.target != nil {
            finished.append(record)
        }
        #expect(finished.last?.status == 200 && finished.last?.sentByteCount == 70_000)
    }

    @Test("publishes no source that cannot be described, and none after its end")
    func refuses() async throws {
        struct Failing: ByteSource {
            func describe() async throws -> ResourceDescription {
                throw SourceError(.notFound, "There is no such song.")
            }
            func read(_ demand: ReadDemand) async throws -> ByteReading {
                throw SourceError(.notFound, "There is no such song.")
            }
        }
        let proxy = try await MediaProxy.start()
        await #expect(throws: SourceError.self) { try await proxy.publish(Failing()) }
        await proxy.close()
        await proxy.close()
        let error = await #expect(throws: ProxyError.self) {
            try await proxy.publish(MemorySource(bytes: Self.bytes, mediaType: .mpegAudio))
        }
        #expect(error?.code == .shutDown)
        #expect(error?.localizedDescription == error?.message)
    }
}
