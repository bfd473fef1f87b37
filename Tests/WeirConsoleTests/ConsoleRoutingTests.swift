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

@Suite("The addresses below /page")
struct ConsoleRoutingTests {
    private static let secret = ConsoleScene.secret

    /// Paths of every kind.
    private static let paths = [
        "", "/", "/start.js", "/page.css", "/state", "/events", "/metrics", "/actions/pin",
        "/export/x/y", "/none", "//", "/state/", "/%73tate", "/actions/", "/actions/pin/x",
        "/export/x", "/Page/../state", "/start.js/",
    ]

    private static func request(
        _ path: String,
        _ method: PageRequest.Method = .get,
        authorization: String? = "Bearer \(Self.secret)",
        isFromAnotherSite: Bool = false
    ) -> PageRequest {
        PageRequest(
            method: method,
            path: path,
            authorization: authorization,
            isFromAnotherSite: isFromAnotherSite
        )
    }

    // MARK: Paths

    @Test("the address without its slash redirects to the one with it")
    func redirect() async throws {
        try await ConsoleScene.run { scene in
            let answer = await scene.answer(Self.request("", authorization: nil))
            #expect(answer.status == 308)
            #expect(answer["Location"] == "/page/")
        }
    }

    @Test("anyone may read the page and its files, and nothing else may be done with them")
    func files() async throws {
        try await ConsoleScene.run { scene in
            for (path, file) in PageFile.all {
                for isFromAnotherSite in [false, true] {
                    let request = Self.request(
                        path,
                        authorization: nil,
                        isFromAnotherSite: isFromAnotherSite
                    )
                    let answer = await scene.answer(request)
                    #expect(answer.status == 200)
                    #expect(answer["Content-Type"] == file.type)
                    #expect(answer.bytes == file.bytes)
                }
                let answer = await scene.answer(Self.request(path, .post))
                #expect(answer.status == 405)
                #expect(answer["Allow"] == "GET, HEAD")
            }
            #expect(scene.looks.value == 0, "nothing is looked at for them")
        }
    }

    @Test("no file of the page contains the secret")
    func noSecret() async throws {
        try await ConsoleScene.run { scene in
            for path in PageFile.all.keys {
                let answer = await scene.ask(path)
                #expect(!answer.text.contains(Self.secret))
            }
        }
    }

    @Test("an unknown address is 404, also with the secret, and has a sentence")
    func nothing() async throws {
        try await ConsoleScene.run { scene in
            for path in [
                "/none", "//", "/state/", "/%73tate", "/events/", "/actions", "/actions/pin/x",
                "/start.js/", "/export/x", "/export", "/../state", "/STATE",
            ] {
                let answer = await scene.ask(path)
                #expect(answer.status == 404, "\(path)")
                #expect(answer["Content-Type"] == "text/plain; charset=utf-8")
                #expect(answer.text.hasSuffix(".\n"))
            }
        }
    }

    @Test(
        "each address has its own methods",
        arguments: [
            ("/state", .post, "GET, HEAD"), ("/events", .post, "GET, HEAD"),
            ("/metrics", .post, "GET, HEAD"), ("/none", .post, "GET, HEAD"),
            ("/actions/pin", .get, "POST"), ("/actions/pin", .head, "POST"),
            ("/export/x/y", .post, "GET"), ("/export/x/y", .head, "GET"),
        ] as [(String, PageRequest.Method, String)]
    )
    func methods(path: String, method: PageRequest.Method, allowed: String) async throws {
        try await ConsoleScene.run { scene in
            let answer = await scene.ask(path, method)
            #expect(answer.status == 405)
            #expect(answer["Allow"] == allowed)
        }
    }

    // MARK: Admission

    @Test(
        "without the secret there are no data, actions or metrics",
        arguments: [
            nil, "", "Bearer", "Bearer ", "Bearer  \(Self.secret)", "Bearer \(Self.secret) ",
            "Bearer \(Self.secret.dropLast())", "Bearer \(Self.secret)0",
            "Bearer \(Self.secret.uppercased())", "Bearer 1\(Self.secret.dropFirst())",
            "Basic \(Self.secret)", Self.secret, "Bearer\t\(Self.secret)", "bearer:\(Self.secret)",
            "Bearer \(Self.secret), Bearer \(Self.secret)", "Bearer x, Bearer \(Self.secret)",
            " Bearer \(Self.secret)", "Bearer \u{301}\(Self.secret)",
        ] as [String?]
    )
    func unauthorized(authorization: String?) async throws {
        try await ConsoleScene.run { scene in
            for (path, method) in [
                ("/state", .get), ("/events", .get), ("/metrics", .get), ("/actions/pin", .post),
                ("/none", .get), ("/state", .head), ("/state", .post), ("/actions/pin", .get),
            ] as [(String, PageRequest.Method)] {
                let answer = await scene.answer(
                    Self.request(path, method, authorization: authorization)
                )
                #expect(answer.status == 401, "\(path)")
                #expect(answer["WWW-Authenticate"] == "Bearer")
                #expect(answer.reading == nil)
                #expect(answer.text.contains("weir open"))
                #expect(!answer.text.contains(Self.secret))
            }
            #expect(scene.looks.value == 0)
        }
    }

    @Test("the scheme may be written in any case", arguments: ["Bearer", "bearer", "BEARER"])
    func schemes(scheme: String) async throws {
        try await ConsoleScene.run { scene in
            let request = Self.request("/state", authorization: "\(scheme) \(Self.secret)")
            #expect(await scene.answer(request).status == 200)
        }
    }

    @Test("a page of another site may send no requests, even with the secret")
    func otherSites() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            let id = Cache.identifier(1)
            for (path, method) in [
                ("/state", .get), ("/events", .get), ("/metrics", .get), ("/none", .get),
                ("/actions/remove", .post), ("/export/x/y", .get), ("/state", .head),
            ] as [(String, PageRequest.Method)] {
                var request = Self.request(path, method, isFromAnotherSite: true)
                request.query = "resource=\(id)"
                #expect(await scene.answer(request).status == 403, "\(path)")
            }
            #expect(await scene.resources().count == 1)
        }
    }

    @Test("every response keeps a browser from loading, framing and storing anything")
    func policies() async throws {
        try await ConsoleScene.run { scene in
            var statuses = Set<Int>()
            for path in Self.paths {
                for method in [PageRequest.Method.get, .head, .post] {
                    for authorization in ["Bearer \(Self.secret)", nil] {
                        for isFromAnotherSite in [false, true] {
                            let answer = await scene.answer(
                                Self.request(
                                    path,
                                    method,
                                    authorization: authorization,
                                    isFromAnotherSite: isFromAnotherSite
                                )
                            )
                            statuses.insert(answer.status)
                            let context = Comment("\(method) \(path), \(answer.status)")
                            let policy = answer["Content-Security-Policy"] ?? ""
                            for part in [
                                "default-src 'none'", "script-src 'self'", "style-src 'self'",
                                "connect-src 'self'", "worker-src 'none'", "base-uri 'none'",
                                "form-action 'none'",
                                "frame-ancestors 'none'",
                            ] { #expect(policy.contains(part), context) }
                            #expect(!policy.contains("unsafe"), context)
                            #expect(answer["Cache-Control"] == "no-store", context)
                            #expect(answer["Referrer-Policy"] == "no-referrer", context)
                            #expect(answer["X-Frame-Options"] == "DENY", context)
                            #expect(
                                answer["Cross-Origin-Resource-Policy"] == "same-origin",
                                context
                            )
                            #expect(answer["Cross-Origin-Opener-Policy"] == "same-origin", context)
                            #expect(answer["Content-Type"] != nil, context)
                            #expect(!answer.fields.contains { $0.name == "Set-Cookie" }, context)
                            #expect(
                                !answer.fields.contains {
                                    "\($0.name)\($0.value)".contains { $0.isNewline }
                                },
                                context
                            )
                        }
                    }
                }
            }
            #expect(statuses == [200, 308, 401, 403, 404, 405])
        }
    }

    @Test("another machine gets only advice, whatever its request")
    func otherMachines() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            for path in Self.paths + ["/actions/remove"] {
                for method in [PageRequest.Method.get, .head, .post] {
                    var request = Self.request(path, method)
                    request.query = "resource=\(Cache.identifier(1))"
                    request.isFromThisMachine = false
                    let answer = await scene.answer(request)
                    #expect(answer.status == 403, "\(method) \(path)")
                    #expect(answer.text.contains("ssh -L"))
                    #expect(answer["Content-Security-Policy"] != nil)
                }
            }
            #expect(scene.looks.value == 0)
            #expect(await scene.resources().count == 1)
        }
    }

    // MARK: Data

    @Test("the state is one object")
    func state() async throws {
        try await ConsoleScene.run([.kept(1, 100, of: 200)]) { scene in
            let answer = await scene.ask("/state")
            #expect(answer["Content-Type"] == "application/json")
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            let state = try decoder.decode(ConsoleState.self, from: Data(answer.bytes))
            #expect(state.type == "state")
            #expect(state.server.version == "1.2.3")
            #expect(state.resources.map(\.id) == [Cache.identifier(1)])
            #expect(state.resources[0].held == 100)
            #expect(state.cache.bytes == 100)
        }
    }

    @Test("the events are endless lines, and the first is the state")
    func eventLines() async throws {
        try await ConsoleScene.run { scene in
            let answer = await scene.ask("/events")
            #expect(answer["Content-Type"] == "application/x-ndjson")
            let reading = try #require(answer.reading)
            #expect(reading.upperBound == nil && reading.resource.length == nil)
            let lines = reading.makeAsyncIterator()
            let first = try #require(try await lines.next())
            let text = String(decoding: try first.bytes(), as: UTF8.self)
            #expect(text.hasPrefix("{") && text.hasSuffix("}\n"))
            #expect(text.filter(\.isNewline).count == 1)
            #expect(text.contains("\"type\":\"state\""))
            scene.events.note(
                ConsoleEvent(kind: "a", subject: nil, text: "Line\nbreak\u{2028}", isTrouble: false)
            )
            await scene.nextLook()
            let second = try #require(try await lines.next())
            #expect(second.range.lowerBound == first.range.upperBound)
            let change = String(decoding: try second.bytes(), as: UTF8.self)
            #expect(change.contains("\"type\":\"change\""))
            #expect(change.utf8.filter { $0 == UInt8(ascii: "\n") }.count == 1)
        }
    }

    @Test("the metrics are text for Prometheus, with the present state of the cache")
    func metrics() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            scene.library.cacheLimits = .init(byteCount: 12_345)
            let answer = await scene.ask("/metrics")
            #expect(answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = answer.text.split(separator: "\n")
            #expect(lines.contains("weir_cache_bytes 100"))
            #expect(lines.contains("weir_cache_resources 1"))
            #expect(lines.contains("weir_cache_limit_bytes 12345"))
            #expect(lines.contains { $0.hasPrefix("weir_cache_free_bytes ") })
            _ = try await scene.library.remove(identifier: Cache.identifier(1))
            let later = await scene.ask("/metrics").text
            #expect(later.contains("\nweir_cache_bytes 0\n"))
        }
    }

    @Test("without a limit the metrics have no limit")
    func noLimit() async throws {
        try await ConsoleScene.run { scene in
            scene.library.cacheLimits = .init()
            #expect(!(await scene.ask("/metrics").text.contains("weir_cache_limit_bytes")))
        }
    }
}
