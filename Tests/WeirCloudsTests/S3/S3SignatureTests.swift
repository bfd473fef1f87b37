// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirClouds

@Suite("The signature of a request to S3")
struct S3SignatureTests {
    /// The key, the bucket and the day of the examples in "Signature Calculations for the Authorization Header".
    private static let keys = S3Keys(
        identifier: "AKIAIOSFODNN7EXAMPLE",
        secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    )
    private static let host = "examplebucket.s3.amazonaws.com"
    private static let day: Int64 = 1_369_353_600

    private let signature = S3Signature(keys: keys, region: "us-east-1")

    private func authorization(
        _ method: String,
        _ path: String,
        query: [(name: String, value: String)] = [],
        fields: [(name: String, value: String)] = [],
        bodyDigest: String = S3Signature.emptyBody
    ) -> String? {
        self.signature.fields(
            method: method,
            host: Self.host,
            path: path,
            query: query.map { ($0.name, Array($0.value.utf8)) },
            fields: fields,
            bodyDigest: bodyDigest,
            at: Self.day
        ).first { $0.name == "Authorization" }?.value
    }

    @Test("equals the published example of a GET for a part of an object")
    func part() {
        #expect(
            self.authorization("GET", "/test.txt", fields: [("Range", "bytes=0-9")])
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        )
    }

    @Test("equals the published example of a PUT")
    func put() {
        let authorization = self.authorization(
            "PUT",
            "/test%24file.text",
            fields: [
                ("Date", "Fri, 24 May 2013 00:00:00 GMT"),
                ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ],
            bodyDigest: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
        )
        #expect(
            authorization?.hasSuffix(
                "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
            ) == true
        )
    }

    @Test("equals the published examples with a query")
    func query() {
        let lifecycle = self.authorization("GET", "/", query: [("lifecycle", "")])
        #expect(
            lifecycle?.hasSuffix(
                "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
            ) == true
        )
        let list = self.authorization("GET", "/", query: [("prefix", "J"), ("max-keys", "2")])
        #expect(
            list?.hasSuffix(
                "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
            ) == true
        )
    }

    @Test("covers the token of a temporary key, which is sent, too")
    func token() {
        let keys = S3Keys(identifier: "A", secret: "s", token: "t+/=")
        let fields = S3Signature(keys: keys, region: "r").fields(
            method: "GET",
            host: "h",
            path: "/",
            at: 0
        )
        #expect(fields.first { $0.name == "x-amz-security-token" }?.value == "t+/=")
        let authorization = fields.first { $0.name == "Authorization" }?.value
        #expect(
            authorization?.contains(
                "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"
            ) == true
        )
    }

    @Test("encodes all but unreserved characters, by bytes, and a query in the order of its names")
    func encoding() {
        #expect(
            S3Signature.encoded("a/ü+%&=x ~._-.mp3", keepsSlashes: true)
                == "a/%C3%BC%2B%25%26%3Dx%20~._-.mp3"
        )
        #expect(S3Signature.encoded("a/b") == "a%2Fb")
        #expect(S3Signature.encoded([0, 9, 0x0A, 0xFF]) == "%00%09%0A%FF")
        #expect(
            S3Signature.canonical([
                ("prefix", Array("a b/".utf8)), ("list-type", Array("2".utf8)), ("a", []),
            ])
                == "a=&list-type=2&prefix=a%20b%2F"
        )
    }

    @Test(
        "has the time of any second in S3's format",
        arguments: [
            (0, "19700101T000000Z"), (-1, "19691231T235959Z"), (1_369_353_600, "20130524T000000Z"),
            (951_782_399, "20000228T235959Z"), (951_782_400, "20000229T000000Z"),
            (4_107_542_399, "21000228T235959Z"), (4_107_542_400, "21000301T000000Z"),
            (253_402_300_799, "99991231T235959Z"),
        ]
    )
    func time(seconds: Int64, text: String) {
        #expect(S3Time(seconds).text == text)
    }

    @Test("no description of a key shows its secret or its token")
    func secrets() {
        let keys = S3Keys(identifier: "AKIA1", secret: "hush", token: "quiet")
        for text in ["\(keys)", String(reflecting: keys)] {
            #expect(text.contains("AKIA1"))
            #expect(!text.contains("hush") && !text.contains("quiet"))
        }
    }
}
