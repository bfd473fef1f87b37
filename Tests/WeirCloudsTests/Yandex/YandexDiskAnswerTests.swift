// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirClouds

@Suite("The answers of Yandex.Disk")
struct YandexDiskAnswerTests {
    private static let signature = String(repeating: "a1", count: 32)
    private static let md5 = "00112233445566778899aabbccddeeff"

    private func link(_ text: String, api: String = "https://cloud-api.test/") throws
        -> YandexDiskLink
    {
        try YandexDiskLink(text, of: "yandex:/a.mp3", api: try OriginURL(api))
    }

    private func resource(_ json: String) throws -> YandexDiskAnswer {
        try #require(YandexDiskAnswer(json: Array(json.utf8)))
    }

    @Test(
        "give a link's end in its path, and in no other form",
        arguments: [
            ("/disk/\(Self.signature)/6689d1ca/YmFzZQ==", 0x6689_D1CA),
            ("/disk/\(Self.signature)/FFFFFFFF/x", 0xFFFF_FFFF),
            ("/disk/\(Self.signature)/6689d1c/x", nil), ("/disk/\(Self.signature)/6689d1cg/x", nil),
            ("/disk/\(Self.signature)/+689d1ca/x", nil),
            ("/disk/\(Self.signature)/-689d1ca/x", nil),
            ("/rdisk/\(Self.signature)/6689d1ca/x", nil), ("/disk/6689d1ca", nil), ("/", nil),
        ] as [(String, Int64?)]
    )
    func readsEnd(_ path: String, _ expected: Int64?) throws {
        let link = try self.link("https://downloader.test\(path)?uid=1&fsize=5")
        #expect(link.expirySeconds == expected)
    }

    @Test("with a link without TLS, or without a valid address, are refused")
    func refusesLinks() throws {
        let insecure = #expect(throws: SourceError.self) { try self.link("http://d.test/s3cret") }
        #expect(insecure?.code == .insecure && insecure?.message.contains("s3cret") == false)
        _ = try self.link("http://d.test/x", api: "http://127.0.0.1:1/")
        for text in ["", "s3cret", "ftp://d.test/s3cret", "https://", "/disk/s3cret"] {
            let error = #expect(throws: SourceError.self) { try self.link(text) }
            #expect(error?.code == .badAnswer && error?.message.contains("s3cret") == false)
        }
    }

    @Test(
        "with a link are compared with the description",
        arguments: [
            ("fsize=5&etag=\(Self.md5)", true), ("fsize=6", false), ("fsize=x&etag=short", true),
            ("etag=ff112233445566778899aabbccddeeff", false), ("", true),
            ("etag=\(Self.md5.uppercased())&fsize=5", true),
        ]
    )
    func compares(_ query: String, _ isGood: Bool) throws {
        let resource = try self.resource(
            "{\"type\":\"file\",\"size\":5,\"md5\":\"\(Self.md5.uppercased())\"}"
        )
        let link = try self.link("https://d.test/x?\(query)")
        do throws(SourceError) {
            try link.check(resource, display: "yandex:/a.mp3", host: "h")
            #expect(isGood)
        } catch {
            #expect(!isGood && error.code == .badAnswer)
        }
    }

    @Test("about a file give an entry")
    func isEntry() throws {
        let entry = try self.resource(
            """
            {"name":"a.mp3","type":"file","size":22,"mime_type":"audio/mpeg","md5":"\(Self.md5)",\
            "modified":"2024-07-10T16:02:35+00:00","revision":1720627355775877,"unknown":[1]}
            """
        ).entry
        #expect(
            entry
                == FolderEntry(
                    name: "a.mp3",
                    kind: .file,
                    length: 22,
                    mediaType: .mpegAudio,
                    modifiedSeconds: 1_720_627_355,
                    validator: .revision("md5:\(Self.md5)")
                )
        )
        let young = try self.resource("{\"type\":\"file\",\"md5\":\"\",\"revision\":7}").entry
        #expect(young.validator == .revision("revision:7"))
        let folder = try self.resource("{\"type\":\"dir\",\"name\":\"M\",\"revision\":7}").entry
        #expect(folder.kind == .folder && folder.validator == nil)
    }

    @Test("with members of odd types count those as missing")
    func toleratesOddTypes() throws {
        for json in [
            "{}", "{\"size\":\"5\",\"type\":\"file\"}", "{\"size\":-5,\"revision\":1.5}",
            "{\"name\":5,\"md5\":{},\"modified\":false,\"file\":[],\"_embedded\":7}",
            "{\"size\":99999999999999999999999,\"mime_type\":\"\"}", "{\"modified\":\"yesterday\"}",
        ] {
            let resource = try self.resource(json)
            #expect(resource.entry.length == nil && resource.entry.validator == nil)
            #expect(resource.file == nil && resource.entry.modifiedSeconds == nil)
        }
        for json in ["", "[]", "null", "<html>", "{", "\"x\""] {
            #expect(YandexDiskAnswer(json: Array(json.utf8)) == nil)
        }
        let deep = String(repeating: "[", count: 100_000)
        #expect(YandexDiskAnswer(json: Array(deep.utf8)) == nil)
    }

    @Test(
        "with a refusal give a sentence with a code",
        arguments: [
            (401, "UnauthorizedError", .unauthorized), (403, "ForbiddenError", .forbidden),
            (403, "DiskSymlinkPasswordRequiredError", .forbidden),
            (404, "DiskNotFoundError", .notFound), (410, "", .notFound),
            (409, "DiskPathDoesntExistsError", .notFound),
            (423, "DiskResourceLockedError", .originFailed),
            (429, "TooManyRequestsError", .throttled),
            (429, "DiskResourceDownloadLimitExceededError", .throttled),
            (507, "", .throttled), (500, "", .originFailed), (503, "", .originFailed),
            (400, "FieldValidationError", .badAnswer), (302, "", .badAnswer),
        ] as [(Int, String, SourceError.Code)]
    )
    func isSentence(_ status: Int, _ name: String, _ code: SourceError.Code) throws {
        let url = try OriginURL("https://h/")
        let body = "{\"error\":\"\(name)\",\"description\":\"d\",\"message\":\"m\"}"
        for text in [body, name.isEmpty || code != .throttled ? "<html>502</html>" : body] {
            let refusal = YandexDiskFailure(
                ServiceAnswer(
                    status: status,
                    headers: HTTPHeaderList(),
                    body: Array(text.utf8),
                    url: url
                )
            )
            let error = refusal.error(about: "yandex:/a.mp3", host: "cloud-api.test")
            #expect(error.code == code && error.status == status && error.host == "cloud-api.test")
            #expect(error.message.contains("yandex:/a.mp3") && error.message.contains(";"))
        }
    }

    @Test("about a lasting limit are final, and about any other limit are not")
    func isFinal() throws {
        let url = try OriginURL("https://h/")
        func refusal(_ name: String) -> YandexDiskFailure {
            YandexDiskFailure(
                ServiceAnswer(
                    status: 429,
                    headers: HTTPHeaderList(received: [("Retry-After", "7")]),
                    body: Array("{\"error\":\"\(name)\"}".utf8),
                    url: url
                )
            )
        }
        #expect(refusal("DiskResourceDownloadLimitExceededError").isFinal)
        #expect(!refusal("TooManyRequestsError").isFinal)
        let sentence = refusal("TooManyRequestsError").error(about: "x", host: "h").message
        #expect(sentence.contains("7 s"))
    }
}
