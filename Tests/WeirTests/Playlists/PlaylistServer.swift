// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import Weir

/// A transport that answers from a table, and records the requests.
final class PlaylistServer: HTTPTransport {
    /// An answer, by its address.
    struct Page: Sendable {
        var status = 200
        var fields: [String: String] = [:]
        var body: [UInt8] = []

        static func text(_ text: String, _ fields: [String: String] = [:]) -> Page {
            Page(fields: fields, body: Array(text.utf8))
        }
    }

    private struct State {
        var pages: [String: Page] = [:]
        var requests: [HTTPTransportRequest] = []
    }

    private let state = Mutex(State())

    subscript(address: String) -> Page? {
        get { self.state.withLock { $0.pages[address] } }
        set { self.state.withLock { $0.pages[address] = newValue } }
    }

    /// The addresses of all requests so far, without their queries if `isShort`.
    func addresses(isShort: Bool = true) -> [String] {
        self.state.withLock { state in
            state.requests.map {
                isShort ? $0.url.path : "\($0.url.authority)\($0.url.requestTarget)"
            }
        }
    }

    func count(_ path: String) -> Int { self.addresses().count { $0 == path } }

    var requests: [HTTPTransportRequest] { self.state.withLock { $0.requests } }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        try Task.checkCancellation()
        request.whenSent?()
        let address = request.url.authority + request.url.requestTarget
        let found = self.state.withLock { state in
            state.requests.append(request)
            return state.pages[address]
        }
        var page = found ?? Page(status: 404)
        if let tag = page.fields["ETag"], request.headers["If-None-Match"] == tag {
            page = Page(status: 304, fields: ["ETag": tag])
        }
        var headers = try HTTPHeaderList(page.fields)
        try headers.append(HTTPHeader(name: "Content-Length", value: "\(page.body.count)"))
        return HTTPTransportResponse(
            status: page.status,
            headers: headers,
            body: Body(page.body),
            isEndProven: true
        )
    }

    private final class Body: HTTPBody {
        private let rest: Mutex<[UInt8]?>

        init(_ bytes: [UInt8]) {
            self.rest = Mutex(bytes.isEmpty ? nil : bytes)
        }

        func next() async throws -> ByteMemory? {
            self.rest.withLock { $0.take() }.map { ByteMemory($0) }
        }

        func cancel() { self.rest.withLock { $0 = nil } }
    }
}

/// Libraries over one cache folder and one ``PlaylistServer``.
struct PlaylistScene {
    let server = PlaylistServer()
    let folder = TemporaryDirectory()

    func library(
        _ change: (inout MediaLibrary.Configuration) -> Void = { _ in }
    ) throws -> MediaLibrary {
        var options = MediaLibrary.Configuration(directory: self.folder.path)
        options.maximumRetries = 0
        change(&options)
        return try MediaLibrary(options, transport: self.server)
    }

    /// The text of a playlist as a player gets it under a target.
    static func text(_ source: any ByteSource, at target: String) async throws -> String {
        String(decoding: try await self.bytes(source, at: target), as: UTF8.self)
    }

    static func bytes(_ source: any ByteSource, at target: String = "/a") async throws -> [UInt8] {
        let id = ConnectionRequestID(connection: 1, request: 1)
        let request = ClientRequest(id, from: .program, for: target)
        return try await ClientRequest.$current.withValue(request) {
            var bytes: [UInt8] = []
            for try await chunk in try await source.read(.whole) { bytes += try chunk.bytes() }
            return bytes
        }
    }

    /// The lines of a text that are addresses.
    static func addresses(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    /// The source behind an address below a medium.
    static func item(_ address: String, below media: Media) -> (any ByteSource)? {
        NestedTarget("/x/\(address)").flatMap { media.source(below: $0.names) }
    }
}
