// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing
import Weir
import WeirCache
import WeirLoader
import WeirSource

@testable import WeirCommand

@Suite("The values of options")
struct OptionTests {
    @Test(
        "sizes with and without units",
        arguments: [
            ("0", 0), ("65536", 65536), ("10B", 10), ("2GiB", 2 << 30), ("500kB", 500_000),
            ("1.5MiB", 1_572_864),
            ("3m", 3 << 20), ("1TB", 1_000_000_000_000), ("2gib", 2 << 30),
            ("20 GB", 20_000_000_000), ("1.4 MB", 1_400_000), ("999 B", 999),
        ] as [(String, Int64)]
    )
    func sizes(_ text: String, _ bytes: Int64) {
        #expect(ByteSize(argument: text)?.bytes == bytes)
    }

    @Test(
        "texts that are no size",
        arguments: ["", "GiB", "-1", "1XB", "1e999", "99999999TB", "1.2.3", "NaN", "1 2", "20 GX"]
    )
    func noSizes(_ text: String) {
        #expect(ByteSize(argument: text) == nil)
    }

    @Test(
        "sizes in the output",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_960, "1.0 MB"),
            (268_435_456, "268.4 MB"),
        ]
            as [(Int64, String)]
    )
    func formatted(_ bytes: Int64, _ text: String) {
        #expect(ByteSize.format(bytes) == text)
    }

    @Test("a printed size reads back")
    func sizesAsPrinted() {
        for bytes in [0, 999, 1000, 2_400_000, 268_400_000, 3_000_000_000] as [Int64] {
            #expect(ByteSize(argument: ByteSize.format(bytes))?.bytes == bytes)
        }
    }

    @Test("times with units, read and written")
    func spans() {
        let spans = [
            ("90s", 90), ("5m", 300), ("2 h", 7200), ("1.5h", 5400), ("30d", 2_592_000), ("0s", 0),
            ("0.5s", 1),
        ]
        for (text, seconds) in spans {
            #expect(TimeSpan(argument: text)?.seconds == Int64(seconds), "\(text)")
        }
        for text in ["", "s", "90", "-1s", "1w", "1e3s", "1 2s", "99999d"] {
            #expect(TimeSpan(argument: text) == nil, "\(text)")
        }
    }

    @Test("the policy for kept bytes")
    func keep() {
        #expect(PrefetchPolicy(argument: "played") == .nothing)
        #expect(PrefetchPolicy(argument: "whole") == .whole)
        #expect(PrefetchPolicy(argument: "first:1MiB") == .first(1 << 20))
        #expect(PrefetchPolicy(argument: "first:") == nil)
        #expect(PrefetchPolicy(argument: "some") == nil)
    }

    @Test("the policy for held bytes that the origin no longer has")
    func whenGone() {
        #expect(WhenGone(argument: "serve") == .serve)
        #expect(WhenGone(argument: "refuse") == .refuse)
        for wrong in ["", "Serve", "keep"] { #expect(WhenGone(argument: wrong) == nil) }
    }

    @Test("the policy for telling two versions of a file apart")
    func validator() {
        #expect(ValidatorPolicy(argument: "strong") == .strong)
        #expect(ValidatorPolicy(argument: "modified") == .modified)
        for wrong in ["", "Strong", "date"] { #expect(ValidatorPolicy(argument: wrong) == nil) }
    }

    @Test("the time of the next revalidation")
    func revalidation() {
        #expect(Revalidation(argument: "always") == .always)
        #expect(Revalidation(argument: "never") == .never)
        #expect(Revalidation(argument: "60s") == .after(.seconds(60)))
        #expect(Revalidation(argument: "5m") == .after(.seconds(300)))
        #expect(Revalidation(argument: "2d") == .after(.seconds(172_800)))
        #expect(Revalidation(argument: "0s") == .always)
        for wrong in ["", "s", "60", "-1s", "1y", "9223372036854775807d", "once"] {
            #expect(Revalidation(argument: wrong) == nil)
        }
    }

    @Test("listening addresses")
    func listen() {
        #expect(
            ListenAddress(argument: "127.0.0.1:4747")
                == ListenAddress(host: "127.0.0.1", port: 4747)
        )
        #expect(ListenAddress(argument: "[::1]:0") == ListenAddress(host: "::1", port: 0))
        for text in ["", "4747", ":4747", "host:", "host:70000", "host:x"] {
            #expect(ListenAddress(argument: text) == nil, "\(text)")
        }
    }

    @Test("a variable replaces an option, and a wrong one is named")
    func variables() throws {
        let environment = ProgramEnvironment([
            "WEIR_KEEP": "whole", "WEIR_READ_AHEAD": "much", "EMPTY": "",
        ])
        #expect(try environment.value("WEIR_KEEP") == PrefetchPolicy.whole)
        #expect(try (environment.value("EMPTY") as ByteSize?) == nil)
        #expect(throws: (any Error).self) {
            try environment.value("WEIR_READ_AHEAD") as ByteSize?
        }
    }

    @Test("a command that only lists evicts nothing, whatever the limits are")
    func listing() throws {
        let settings = try MediaSettings(
            SourceOptions.parse([]),
            CacheFolderOption.parse(["--cache", "/nowhere/cache", "--config", "/dev/null"]),
            OutputOptions.parse([]),
            isOffline: false
        )
        #expect(settings.libraryOptions.cacheLimits == CacheLimits())
        #expect(settings.libraryOptions.scrubRate == nil)
        #expect(settings.libraryOptions.directory == "/nowhere/cache")
        let playing = try MediaSettings(
            [],
            MediaOptions.parse(["--cache", "/nowhere/cache", "--config", "/dev/null"])
        )
        #expect(playing.libraryOptions.cacheLimits.byteCount == 2_000_000_000)
    }
}
