// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP

@testable import WeirClouds

@Suite("The signature in a query")
struct SignedQueryTests {
    @Test(
        "is known for each vendor, and the names that select a file stay",
        arguments: [
            (
                "s3.test/a?versionId=7&X-Amz-Algorithm=A&X-Amz-Credential=C&X-Amz-Signature=S",
                ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature"]
            ),
            (
                "s3.test/a?AWSAccessKeyId=k&Signature=s&Expires=1&versionId=7&x-amz-security-token=t",
                ["AWSAccessKeyId", "Signature", "Expires", "x-amz-security-token"]
            ),
            (
                "storage.test/a?X-Goog-Signature=s&X-Goog-Date=d&generation=5",
                ["X-Goog-Signature", "X-Goog-Date"]
            ),
            (
                "storage.test/a?GoogleAccessId=a&Signature=s&Expires=1&generation=5",
                ["GoogleAccessId", "Signature", "Expires"]
            ),
            (
                "cdn.test/a?Policy=p&Signature=s&Key-Pair-Id=k&quality=high",
                ["Policy", "Signature", "Key-Pair-Id"]
            ),
            (
                "blob.test/a?sv=1&se=2&sr=b&sp=r&sig=s&snapshot=7", ["sv", "se", "sr", "sp", "sig"]
            ),
            (
                "drive.usercontent.google.com/download?id=1&export=download&confirm=t&uuid=u&at=a",
                ["confirm", "uuid", "at"]
            ),
            ("s3.test/a?%58-Amz-Signature=S&x=1", ["X-Amz-Signature"]),
        ] as [(String, Set<String>)]
    )
    func isKnown(_ address: String, _ names: Set<String>) throws {
        let url = try OriginURL("https://\(address)")
        #expect(url.volatileQueryNames == names)
        #expect(url.isSigned)
        let kept = url.location(withoutQuery: names)
        #expect(!names.contains { kept.contains("\($0)=") })
    }

    @Test(
        "is absent where one of its parts is missing",
        arguments: [
            "h.test/a", "h.test/a?", "h.test/a?&&=", "h.test/a?signature=1", "h.test/a?expires=1",
            "h.test/a?sig=1&se=2", "h.test/a?x-amz-date=1", "h.test/a?at=1&uuid=2&confirm=3",
            "h.test/a?token=1",
        ]
    )
    func isNone(_ address: String) throws {
        let url = try OriginURL("https://\(address)")
        #expect(url.volatileQueryNames.isEmpty && !url.isSigned)
    }

    @Test("is read by names in lower case, the first of each, decoded")
    func isReadByName() throws {
        let url = try OriginURL("https://h/?A=1&a=2&b%20c=%2B&d&=e")
        #expect(url.queryParts == ["a": "1", "b c": "+", "d": "", "": "e"])
    }
}
