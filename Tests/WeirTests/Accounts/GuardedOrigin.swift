// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Weir
import WeirHTTP
import WeirSource
import WeirTestKit

/// A transport to a host that gives each known credential its own file, and refuses unknown credentials.
final class GuardedOrigin: HTTPTransport {
    /// The credentials that the host knows, as values of `Authorization`; `""` is a request without one.
    let known: Mutex<Set<String>>
    /// The credentials that the host received, one for each request.
    let asked = Watched<[String]>([])

    init(_ known: some Sequence<String>) {
        self.known = Mutex(Set(known))
    }

    /// The bytes of a credential's file.
    static func bytes(for credential: String) -> [UInt8] {
        var generator = SeededGenerator(
            seed: UInt64(credential.utf8.reduce(7) { $0 &* 31 &+ Int($1) })
        )
        let count = 1_000 + Int(generator.next() % 1_000)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        request.whenSent?()
        let credential = request.headers["Authorization"] ?? ""
        self.asked.update { $0.append(credential) }
        guard self.known.withLock({ $0.contains(credential) }) else {
            return try Self.answer(401, [], [:])
        }
        let bytes = Self.bytes(for: credential)
        var fields = ["ETag": "\"\(bytes.count)-\(bytes[0])\"", "Content-Type": "audio/mpeg"]
        let start =
            request.headers["Range"].flatMap { Int($0.dropFirst(6).prefix { $0 != "-" }) } ?? 0
        let end = request.headers["Range"].flatMap {
            Int($0.split(separator: "-").dropFirst().first ?? "")
        }
        let range = start..<min(bytes.count, (end ?? bytes.count - 1) + 1)
        fields["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
        return try Self.answer(206, Array(bytes[range]), fields)
    }

    private static func answer(_ status: Int, _ bytes: [UInt8], _ fields: [String: String]) throws
        -> HTTPTransportResponse
    {
        var fields = fields
        fields["Content-Length"] = "\(bytes.count)"
        return HTTPTransportResponse(
            status: status,
            headers: try HTTPHeaderList(fields),
            body: Body(bytes),
            isEndProven: true
        )
    }

    private final class Body: HTTPBody {
        private let rest: Mutex<[UInt8]>

        init(_ bytes: [UInt8]) { self.rest = Mutex(bytes) }

        func next() async throws -> ByteMemory? {
            let bytes = self.rest.withLock { rest in
                defer { rest = [] }
                return rest
            }
            return bytes.isEmpty ? nil : ByteMemory(bytes)
        }

        func cancel() {}
    }
}
