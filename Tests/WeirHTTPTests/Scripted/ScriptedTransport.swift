// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource
import WeirTestKit

/// A transport that sends a test's responses and records its requests.
final class ScriptedTransport: HTTPTransport {
    enum Reply: Sendable {
        case answer(Int, [(String, String)], [ScriptedBody.Step], isEndProven: Bool)
        case fail(HTTPTransportError)
        /// No connection; the request ends when it is cancelled.
        case noConnection
        /// A connection but no response; the request ends when it is cancelled.
        case noAnswer

        static func answer(
            _ status: Int,
            _ headers: [(String, String)] = [],
            _ body: [UInt8] = []
        ) -> Reply {
            .answer(status, headers, body.isEmpty ? [] : [.bytes(body)], isEndProven: true)
        }
    }

    struct State: Sendable {
        var requests: [HTTPTransportRequest] = []
        var bodies: [ScriptedBody] = []
        var cancelledSends = 0
        /// The count of requests reported as sent; a sent request has another timeout.
        var sentCount = 0
    }

    let state = Watched(State())
    private let script: @Sendable (HTTPTransportRequest, Int) -> Reply

    /// - Parameter script: receives each request and its number, from 0.
    init(_ script: @escaping @Sendable (HTTPTransportRequest, Int) -> Reply) {
        self.script = script
    }

    /// Sends these replies in order, and repeats the last one.
    convenience init(_ replies: Reply...) {
        self.init { _, index in replies[min(index, replies.count - 1)] }
    }

    var requests: [HTTPTransportRequest] { self.state.value.requests }
    var bodies: [ScriptedBody] { self.state.value.bodies }
    /// The `Range` fields so far.
    var ranges: [String?] { self.requests.map { $0.headers["Range"] } }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        try Task.checkCancellation()
        let index = self.state.update { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
        switch self.script(request, index) {
        case .answer(let status, let headers, let steps, let isEndProven):
            self.sent(request)
            let body = ScriptedBody(steps)
            self.state.update { $0.bodies.append(body) }
            return HTTPTransportResponse(
                status: status,
                headers: HTTPHeaderList(received: headers),
                body: body,
                isEndProven: isEndProven
            )
        case .fail(let error):
            throw error
        case .noConnection:
            try await self.hang()
        case .noAnswer:
            self.sent(request)
            try await self.hang()
        }
    }

    private func sent(_ request: HTTPTransportRequest) {
        request.whenSent?()
        self.state.update { $0.sentCount += 1 }
    }

    private func hang() async throws -> Never {
        do { try await Gate().wait() } catch {
            self.state.update { $0.cancelledSends += 1 }
            throw error
        }
        throw CancellationError()
    }
}
