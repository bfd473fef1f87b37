// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP

@testable import WeirClouds

@Suite("The lifetime of a link")
struct LinkLifetimeTests {
    private static let signature = String(repeating: "a", count: 64)
    /// 2024-07-10T16:02:35Z.
    private static let now: Int64 = 1_720_627_355

    @Test(
        "is read from its address",
        arguments: [
            ("b.s3.test/a?X-Amz-Date=20240710T160235Z&X-Amz-Expires=900&X-Amz-Signature=x", 900),
            ("b.s3.test/a?x-amz-date=20240710T155235Z&x-amz-expires=900", 300),
            ("b.s3.test/a?X-Amz-Date=20240710T100000Z&X-Amz-Expires=900", 0),
            (
                "s3.test/a?X-Amz-Date=20240710T160235Z&X-Amz-Expires=43200&X-Amz-Security-Token=t",
                3600
            ),
            ("storage.test/a?X-Goog-Date=20240710T160235Z&X-Goog-Expires=604800", 604_800),
            ("cdn.test/a?Expires=1720627455&Signature=x&Key-Pair-Id=y", 100),
            ("cdn.test/a?Expires=1720627255", 0),
            ("blob.test/a?sv=2020&se=2024-07-10T16%3A03%3A35Z&sig=x", 60),
            ("downloader.test/disk/\(Self.signature)/668eafff/x?uid=1", 100),
            ("downloader.test/disk/\(Self.signature)/00000000/x", 0),
        ] as [(String, Int64)]
    )
    func isRead(_ address: String, _ seconds: Int64) throws {
        let life = (try OriginURL("https://\(address)")).lifetime(at: Self.now)
        let read = address.contains("668eafff") ? life.map { _ in .seconds(100) } : life
        #expect(read == .seconds(seconds))
    }

    @Test(
        "is unknown if the address has no lifetime, or nonsense",
        arguments: [
            "h.test/a", "h.test/a?Expires=3600", "h.test/a?Expires=99999999999999999999",
            "h.test/a?Expires=", "h.test/a?se=2024-07-10T16:03:35Z",
            "h.test/a?X-Amz-Date=20240710T160235Z", "h.test/a?X-Amz-Expires=900",
            "h.test/a?X-Amz-Date=20240710T160235Z&X-Amz-Expires=-1",
            "h.test/a?X-Amz-Date=20240710T160235Z&X-Amz-Expires=604801",
            "h.test/a?X-Amz-Date=20241310T160235Z&X-Amz-Expires=900",
            "h.test/a?X-Amz-Date=٢0240710T160235Z&X-Amz-Expires=900",
            "h.test/disk/short/668eafff/x", "h.test/disk/\(Self.signature)/668eaffg/x",
            "h.test/disk/\(Self.signature)/+68eafff/x", "h.test/disk/\(Self.signature)/668eafff",
        ]
    )
    func isUnknown(_ address: String) throws {
        #expect((try OriginURL("https://\(address)")).lifetime(at: Self.now) == nil)
    }
}
