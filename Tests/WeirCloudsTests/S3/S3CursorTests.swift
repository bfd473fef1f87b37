// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirClouds

@Suite("The pages of a bucket")
struct S3CursorTests {
    /// A page of listing version 2 or 1, as a store writes it.
    private static func page(_ keys: [String], isTruncated: Bool, _ more: String = "") -> String {
        let contents = keys.map { "<Contents><Key>\($0)</Key></Contents>" }.joined()
        return
            "<ListBucketResult><IsTruncated>\(isTruncated)</IsTruncated>\(more)\(contents)</ListBucketResult>"
    }

    private static func token(_ text: String) -> String {
        "<NextContinuationToken>\(text)</NextContinuationToken>"
    }

    /// The names in a listing of the bucket, its error, and the sent queries.
    private func list(
        _ answer: @escaping @Sendable (String, Int) -> AnsweringTransport.Answer
    ) async throws -> (names: [String], error: SourceError?, queries: [String]) {
        let transport = AnsweringTransport { request, index in
            answer(request.url.query ?? "", index)
        }
        let service = S3(
            name: "store",
            bucket: S3.Bucket(name: "music", endpoint: try OriginURL("http://s3.test/")),
            keys: .anonymous,
            client: transport.client
        )
        var names: [String] = []
        let error = await thrownError {
            for try await page in service.list(.root) { names += page.map(\.name) }
        }
        return (names, error, transport.requests.value.map { $0.url.query ?? "" })
    }

    @Test("continue behind the last key, once, where a token does not change")
    func fixedToken() async throws {
        let page = Self.page(["a", "b"], isTruncated: true, Self.token("t"))
        let (_, error, queries) = try await self.list { _, _ in .init(200, [], page) }
        #expect(error?.code == .originFailed && error?.message.contains("incomplete") == true)
        #expect(queries.count == 3)
        #expect(queries.dropFirst().first?.contains("continuation-token=t") == true)
        #expect(queries.last?.contains("start-after=b") == true)
    }

    @Test("continue behind the last key to the end where there is no token")
    func noToken() async throws {
        let (names, error, queries) = try await self.list { query, _ in
            query.contains("start-after=b&") || query.hasSuffix("start-after=b")
                ? .init(200, [], Self.page(["c"], isTruncated: false))
                : .init(200, [], Self.page(["a", "b"], isTruncated: true))
        }
        #expect(names == ["a", "b", "c"] && error == nil && queries.count == 2)
    }

    @Test("end with an error where a store has more and gives no way to continue")
    func stalls() async throws {
        let (names, error, queries) = try await self.list { _, _ in
            .init(200, [], Self.page(["a"], isTruncated: true))
        }
        #expect(names.contains("a") && error?.code == .originFailed && queries.count == 2)
        let empty = try await self.list { _, _ in .init(200, [], Self.page([], isTruncated: true)) }
        #expect(empty.error?.code == .originFailed && empty.queries.count == 1)
    }

    @Test("use version 1 for a store that has no version 2")
    func version1() async throws {
        let (names, error, queries) = try await self.list { query, _ in
            if query.contains("list-type=2") { return .init(501) }
            if query.contains("marker=b") {
                return .init(200, [], Self.page(["c", "d"], isTruncated: true))
            }
            return query.contains("marker=d")
                ? .init(200, [], Self.page(["e"], isTruncated: false))
                : .init(200, [], Self.page(["a", "b"], isTruncated: true))
        }
        #expect(names == ["a", "b", "c", "d", "e"] && error == nil)
        #expect(queries.count == 4 && !queries.dropFirst().contains { $0.contains("list-type") })
    }

    @Test("of a folder whose name is not text are requested by the name's bytes")
    func bytes() async throws {
        let transport = AnsweringTransport { _, _ in
            .init(200, [], Self.page(["caf\u{FFFD}/x"], isTruncated: false))
        }
        let service = S3(
            name: "store",
            bucket: S3.Bucket(name: "music", endpoint: try OriginURL("http://s3.test/")),
            keys: .anonymous,
            client: transport.client
        )
        for try await _ in service.list(try FolderPath("/caf\\xE9/")) {}
        #expect(transport.requests.value.first?.url.query?.contains("prefix=caf%E9%2F") == true)
    }
}
