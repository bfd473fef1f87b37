// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirClouds

@Suite("A bucket of S3")
struct S3Tests {
    private static let keys = S3Keys(identifier: "AKIA1", secret: "hush")

    private func bucket(
        _ bucket: S3.Bucket = S3.Bucket(name: "music", region: "eu-central-1"),
        keys: S3KeySource = .given(keys),
        now: Int64 = 1_700_000_000,
        answer:
            @escaping @Sendable (HTTPTransportRequest, Int) async throws ->
            AnsweringTransport.Answer = { _, _ in .init(404) }
    ) -> (S3, AnsweringTransport) {
        let transport = AnsweringTransport(answer)
        let service = S3(
            name: "store",
            bucket: bucket,
            keys: keys,
            now: { now },
            client: transport.client
        )
        return (service, transport)
    }

    private func url(_ service: S3, _ path: String) async throws -> String {
        let location = try await service.locate(try FolderPath(path), range: .whole, after: nil)
        return location.location.url.display
    }

    private static func error(_ code: String, region: String? = nil) -> String {
        let region = region.map { "<Region>\($0)</Region>" } ?? ""
        return "<Error><Code>\(code)</Code><Message>No.</Message>\(region)</Error>"
    }

    private func refusal(
        _ status: Int,
        _ body: String,
        _ headers: [(String, String)] = [],
        repetition: Int = 1
    ) throws -> OriginFailure {
        OriginFailure(
            location: OriginLocation(url: try OriginURL("https://music.s3.test/a")),
            isDirect: true,
            status: status,
            headers: HTTPHeaderList(received: headers),
            body: Array(body.utf8),
            repetition: repetition
        )
    }

    @Test(
        "is named before Amazon's host, and in the path where the certificate or the store needs that"
    )
    func addresses() async throws {
        #expect(
            try await self.url(self.bucket().0, "/Live/ü+.mp3")
                == "https://music.s3.eu-central-1.amazonaws.com/Live/%C3%BC%2B.mp3"
        )
        let dotted = S3.Bucket(name: "a.b", region: "cn-north-1")
        #expect(
            try await self.url(self.bucket(dotted).0, "/x")
                == "https://s3.cn-north-1.amazonaws.com.cn/a.b/x"
        )
        let store = try OriginURL("http://127.0.0.1:9000/minio/")
        let own = S3.Bucket(name: "music", endpoint: store, root: "Albums/2024")
        #expect(
            try await self.url(self.bucket(own).0, "/x")
                == "http://127.0.0.1:9000/minio/music/Albums/2024/x"
        )
        let hosted = S3.Bucket(
            name: "music",
            endpoint: try OriginURL("https://s3.test/"),
            isInPath: false
        )
        #expect(try await self.url(self.bucket(hosted).0, "/x") == "https://music.s3.test/x")
    }

    @Test("a request has a signature with its own time, and a request to a public bucket has none")
    func signs() async throws {
        let (service, _) = self.bucket()
        let location = try await service.locate(try FolderPath("/a"), range: .whole, after: nil)
            .location
        #expect(location.headers["x-amz-date"] == "20231114T221320Z")
        #expect(
            location.headers["Authorization"]?.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIA1/20231114/eu-central-1/s3/aws4_request,"
            ) == true
        )
        let (open, _) = self.bucket(keys: .anonymous)
        let unsigned = try await open.locate(try FolderPath("/a"), range: .whole, after: nil)
        #expect(unsigned.location.headers["Authorization"] == nil)
        #expect(!open.credentialScope.hasCredential && service.credentialScope.hasCredential)
    }

    @Test(
        "an object's age follows the store's clock, and the error of a busy store has the delay"
    )
    func storedObjects() async throws {
        let written = ("Last-Modified", "Tue, 14 Nov 2023 21:00:00 GMT")
        let date = ("Date", "Tue, 14 Nov 2023 22:00:00 GMT")
        let early = ("Date", "Tue, 14 Nov 2023 20:00:00 GMT")
        let cases: [([(String, String)], age: Int64?, date: Int64?)] = [
            ([written, date], 3600, 1_699_999_200),
            ([written, date, ("Age", "60")], 3660, 1_699_999_200),
            ([written, early], 0, 1_699_992_000), ([date], nil, 1_699_999_200),
            ([written], nil, nil),
            ([written, date, ("Age", "-9")], 3600, 1_699_999_200),
            ([written, ("Date", "now")], nil, nil),
        ]
        for (headers, age, date) in cases {
            let (service, _) = self.bucket { _, _ in .init(200, headers, "bytes") }
            let object = try await service.object("a", limit: 5)
            #expect(object == StoredObject(Array("bytes".utf8), age: age, date: date))
        }
        for (status, field, delay) in [
            (503, "120", Duration.seconds(120)), (429, "7", .seconds(7)), (503, "soon", nil),
            (500, "120", nil),
        ] {
            let (service, transport) = self.bucket { _, _ in .init(status, [("Retry-After", field)])
            }
            let error = await thrownError { _ = try await service.object("a", limit: 5) }
            #expect((error?.cause as? RetryLater)?.delay == delay)
            #expect(transport.requests.value.count == 1)
        }
    }

    @Test("an identity has neither the address's region nor its style, and no key")
    func identity() throws {
        let path = try FolderPath("/a b")
        let (one, _) = self.bucket()
        let (two, _) = self.bucket(S3.Bucket(name: "music", isInPath: true))
        #expect(one.identity(of: path) == "s3://s3.amazonaws.com/music/a%20b")
        #expect(two.identity(of: path) == one.identity(of: path))
    }

    @Test("Amazon is asked once for the region of a bucket without a named region")
    func region() async throws {
        let (service, transport) = self.bucket(S3.Bucket(name: "music")) { request, _ in
            #expect(request.url.display == "https://s3.amazonaws.com/music")
            #expect(request.headers["Authorization"] == nil)
            return .init(403, [("x-amz-bucket-region", "ap-south-1")])
        }
        let wanted = "https://music.s3.ap-south-1.amazonaws.com/a"
        #expect(try await self.url(service, "/a") == wanted)
        #expect(try await self.url(service, "/a") == wanted)
        #expect(transport.requests.value.count == 1)
    }

    @Test("an invalid region from the store is ignored")
    func hostileRegion() async throws {
        for region in ["evil.example/", "a@b", "", "é", String(repeating: "a", count: 65)] {
            let (service, _) = self.bucket(S3.Bucket(name: "music")) { _, _ in
                .init(301, [("x-amz-bucket-region", region)])
            }
            #expect(
                try await self.url(service, "/a") == "https://music.s3.us-east-1.amazonaws.com/a"
            )
        }
    }

    @Test(
        "a refusal corrects the region and the clock, once each, and cannot replace a given key"
    )
    func learns() async throws {
        let path = try FolderPath("/a")
        let (service, _) = self.bucket()
        func isTriedAgain(_ refusal: OriginFailure) async -> Bool {
            if case .locateAnew = await service.ruling(on: refusal, about: path) {
                true
            } else {
                false
            }
        }
        let region = try self.refusal(
            400,
            Self.error("AuthorizationHeaderMalformed", region: "us-west-2")
        )
        #expect(await isTriedAgain(region))
        #expect(try await self.url(service, "/a") == "https://music.s3.us-west-2.amazonaws.com/a")
        #expect(await !isTriedAgain(region))

        let clock = try self.refusal(
            403,
            Self.error("RequestTimeTooSkewed"),
            [("Date", "Tue, 14 Nov 2023 23:13:20 GMT")]
        )
        #expect(await isTriedAgain(clock))
        let location = try await service.locate(path, range: .whole, after: nil).location
        #expect(location.headers["x-amz-date"] == "20231114T231320Z")
        #expect(await !isTriedAgain(clock))

        // The service cannot replace a key that the user gave.
        #expect(await !isTriedAgain(try self.refusal(400, Self.error("ExpiredToken"))))
    }

    @Test(
        "every refusal has a sentence that says what to do, and the fitting status",
        arguments: [
            (404, "NoSuchKey", SourceError.Code.notFound), (404, "NoSuchBucket", .notFound),
            (403, "AccessDenied", .forbidden), (403, "InvalidAccessKeyId", .unauthorized),
            (403, "SignatureDoesNotMatch", .unauthorized), (400, "InvalidToken", .unauthorized),
            (403, "InvalidObjectState", .forbidden), (400, "SomethingElse", .badAnswer),
        ]
    )
    func refusals(status: Int, code: String, expected: SourceError.Code) async throws {
        let (service, _) = self.bucket()
        let ruling = await service.ruling(
            on: try self.refusal(status, Self.error(code)),
            about: try FolderPath("/a")
        )
        guard case .refused(let error) = ruling else {
            Issue.record("\(ruling)")
            return
        }
        #expect(error.code == expected)
        #expect(error.message.hasSuffix("."))
        #expect(error.message.contains(";") || expected == .notFound)
    }

    @Test("a request that must wait is tried again after a pause")
    func patience() async throws {
        let (service, _) = self.bucket()
        for code in ["SlowDown", "ServiceUnavailable", "InternalError"] {
            let ruling = await service.ruling(
                on: try self.refusal(503, Self.error(code)),
                about: try FolderPath("/a")
            )
            guard case .transient = ruling else {
                Issue.record("\(code): \(ruling)")
                continue
            }
        }
    }

    @Test(
        "a folder has its objects and folders over all pages, and its own marker is not an entry"
    )
    func lists() async throws {
        let (service, transport) = self.bucket { request, index in
            #expect(request.url.query?.contains("prefix=Live%2F") == true)
            #expect(request.url.query?.contains("continuation-token=t%2B1") == (index == 1))
            return index == 0
                ? .init(
                    200,
                    [],
                    """
                    <ListBucketResult><IsTruncated>true</IsTruncated>\
                    <NextContinuationToken>t+1</NextContinuationToken>\
                    <Contents><Key>Live/</Key><Size>0</Size></Contents>\
                    <CommonPrefixes><Prefix>Live/2024/</Prefix></CommonPrefixes>\
                    <CommonPrefixes><Prefix>Live//</Prefix></CommonPrefixes>\
                    <Contents><Key>Live/a.mp3</Key><Size>7</Size></Contents></ListBucketResult>
                    """
                )
                : .init(
                    200,
                    [],
                    """
                    <ListBucketResult><IsTruncated>false</IsTruncated>\
                    <Contents><Key>Live/b.mp3</Key><Size>8</Size></Contents></ListBucketResult>
                    """
                )
        }
        var names: [String] = []
        for try await page in service.list(try FolderPath("/Live/")) {
            names += page.map { "\($0.name)\($0.kind == .folder ? "/" : "") \($0.length ?? -1)" }
        }
        #expect(names == ["2024/ -1", "a.mp3 7", "b.mp3 8"])
        #expect(transport.requests.value.count == 2)
    }

    @Test("a path is an object, a prefix of keys, or nothing")
    func describes() async throws {
        let (service, _) = self.bucket { request, _ in
            guard request.method == "HEAD" else {
                return .init(
                    200,
                    [],
                    request.url.query?.contains("prefix=Live%2F") == true
                        ? "<ListBucketResult><Contents><Key>Live/a</Key></Contents></ListBucketResult>"
                        : "<ListBucketResult></ListBucketResult>"
                )
            }
            return request.url.path == "/a.mp3"
                ? .init(
                    200,
                    [
                        ("Content-Length", "7"), ("Content-Type", "audio/mpeg"), ("ETag", "\"x\""),
                        ("Last-Modified", "Tue, 14 Nov 2023 22:13:20 GMT"),
                    ]
                ) : .init(404)
        }
        let file = try await service.describe(try FolderPath("/a.mp3"))
        #expect(file.kind == .file && file.length == 7 && file.modifiedSeconds == 1_700_000_000)
        #expect(file.validator == .entityTag("\"x\""))
        #expect(try await service.describe(try FolderPath("/Live")).kind == .folder)
        #expect(try await service.describe(try FolderPath("/")).kind == .folder)
        let error = await thrownError { _ = try await service.describe(try FolderPath("/none")) }
        #expect(error?.code == .notFound)
    }

    @Test("the reason of a refused HEAD comes from a list request, whose answer has a body")
    func refusedHead() async throws {
        let (service, transport) = self.bucket { request, index in
            if index == 0 { return .init(403) }
            guard request.method == "GET" else { return .init(200, [("Content-Length", "7")]) }
            return index == 1
                ? .init(
                    403,
                    [("Date", "Tue, 14 Nov 2023 23:13:20 GMT")],
                    Self.error("RequestTimeTooSkewed")
                )
                : .init(200, [], "<ListBucketResult></ListBucketResult>")
        }
        #expect(try await service.describe(try FolderPath("/a.mp3")).length == 7)
        let dates = transport.requests.value.map { $0.headers["x-amz-date"] }
        #expect(
            dates == [
                "20231114T221320Z", "20231114T221320Z", "20231114T231320Z", "20231114T231320Z",
            ]
        )
    }
}
