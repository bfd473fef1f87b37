// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirClouds

@Suite("The answers of S3")
struct S3AnswersTests {
    private static let listing = """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>music</Name>
        <EncodingType>url</EncodingType>
        <IsTruncated>true</IsTruncated><NextContinuationToken>1/ab+c=</NextContinuationToken>
        <Contents><Key>Music/a%20b%2Bc+d.mp3</Key><LastModified>2024-07-10T16:02:35.000Z</LastModified>
        <ETag>&quot;fba9&quot;</ETag><Size>434234</Size></Contents>
        <Contents><Key>Music/%00%FF</Key><Size>-1</Size></Contents>
        <Contents><Size>1</Size></Contents>
        <CommonPrefixes><Prefix>Music/Album/</Prefix></CommonPrefixes></ListBucketResult>
        """

    @Test(
        "a page of a bucket has keys as bytes, sizes, times, prefixes and the token for the next page"
    )
    func listing() throws {
        let page = try #require(S3Listing(Array(Self.listing.utf8)))
        #expect(page.continuation == "1/ab+c=")
        #expect(
            page.objects.map(\.key) == [
                Array("Music/a b+c d.mp3".utf8), Array("Music/".utf8) + [0, 0xFF],
            ]
        )
        #expect(page.objects.map(\.length) == [434_234, nil])
        #expect(page.objects.map(\.modifiedSeconds) == [1_720_627_355, nil])
        #expect(page.prefixes == [Array("Music/Album/".utf8)])
    }

    @Test("keys are taken literally where the store names no encoding")
    func plainKeys() throws {
        let text = """
            <ListBucketResult><Contents><Key>a+b.mp4</Key></Contents><Contents><Key>a b.mp4</Key></Contents>
            <Contents><Key>100%25.mp4</Key></Contents><CommonPrefixes><Prefix>x+y/</Prefix></CommonPrefixes>
            </ListBucketResult>
            """
        let page = try #require(S3Listing(Array(text.utf8)))
        #expect(
            page.objects.map(\.key) == ["a+b.mp4", "a b.mp4", "100%25.mp4"].map { Array($0.utf8) }
        )
        #expect(page.prefixes == [Array("x+y/".utf8)])
    }

    @Test("the last page has no token for a next page")
    func end() throws {
        let text = Self.listing.replacing("<IsTruncated>true", with: "<IsTruncated>false")
        #expect(try #require(S3Listing(Array(text.utf8))).continuation == nil)
    }

    @Test(
        "other documents are refused: cut anywhere, another root, a document type, too deep",
        arguments: [
            "", "<html></html>", "<ListBucketResult>", "\u{0}",
            "<!DOCTYPE x [<!ENTITY a \"b\">]><ListBucketResult></ListBucketResult>",
            "<ListBucketResult>" + String(repeating: "<a>", count: 20)
                + String(repeating: "</a>", count: 20) + "</ListBucketResult>",
        ]
    )
    func noListing(_ text: String) {
        #expect(S3Listing(Array(text.utf8)) == nil)
    }

    @Test("a listing that is cut at any byte is refused")
    func cut() {
        let bytes = Array(Self.listing.utf8)
        for count in 0..<bytes.count { #expect(S3Listing(Array(bytes[..<count])) == nil) }
    }

    @Test("a refusal has its code, its sentence and the bucket's region")
    func refusal() throws {
        let text = """
            <Error><Code>AuthorizationHeaderMalformed</Code><Message>the region is wrong</Message>\
            <Region>eu-central-1</Region><RequestId>4</RequestId></Error>
            """
        let said = try #require(S3Failure(Array(text.utf8)))
        #expect(said.code == "AuthorizationHeaderMalformed")
        #expect(said.message == "the region is wrong")
        #expect(said.region == "eu-central-1")
        #expect(S3Failure(Array("<Error><Message>x</Message></Error>".utf8)) == nil)
        #expect(S3Failure([0xFF, 0xFE]) == nil)
    }
}
