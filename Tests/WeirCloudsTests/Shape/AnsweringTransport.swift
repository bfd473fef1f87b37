// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource
import WeirTestKit

/// A transport whose responses come from a function; it records its requests.
final class AnsweringTransport: HTTPTransport {
    /// A response with its whole body.
    struct Answer: Sendable {
        var status: Int
        var headers: [(String, String)] = []
        var body: [UInt8] = []

        init(_ status: Int, _ headers: [(String, String)] = [], _ body: String = "") {
            self.status = status
            self.headers = headers
            self.body = Array(body.utf8)
        }
    }

    let requests = Watched<[HTTPTransportRequest]>([])
    private let answer: @Sendable (HTTPTransportRequest, Int) async throws -> Answer

    /// - Parameter answer: receives each request and its number, from 0.
    init(_ answer: @escaping @Sendable (HTTPTransportRequest, Int) async throws -> Answer) {
        self.answer = answer
    }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        try Task.checkCancellation()
        let index = self.requests.update { requests in
            requests.append(request)
            return requests.count - 1
        }
        request.whenSent?()
        let answer = try await self.answer(request, index)
        return HTTPTransportResponse(
            status: answer.status,
            headers: HTTPHeaderList(received: answer.headers),
            body: Whole(answer.body),
            isEndProven: true
        )
    }

    private final class Whole: HTTPBody {
        private let bytes: Watched<[UInt8]>

        init(_ bytes: [UInt8]) {
            self.bytes = Watched(bytes)
        }

        func next() async throws -> ByteMemory? {
            let bytes = self.bytes.update { bytes in
                defer { bytes = [] }
                return bytes
            }
            return bytes.isEmpty ? nil : ByteMemory(bytes)
        }

        func cancel() {
            self.bytes.update { $0 = [] }
        }
    }
}

extension AnsweringTransport {
    /// A client over this transport that never retries.
    var client: ServiceClient { ServiceClient(transport: self, retry: .never) }
}

/// The `SourceError` that an operation throws; `nil` for another error, or without an error.
func thrownError(_ operation: () async throws -> Void) async -> SourceError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? SourceError
    }
}
