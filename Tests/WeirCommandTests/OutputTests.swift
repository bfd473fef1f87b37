// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirCipher
import WeirClouds
import WeirProxy
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("The messages of the program")
struct OutputTests {
    @Test("without a terminal, progress is a plain line")
    func progress() {
        let start = ContinuousClock.now
        let meter = ProgressMeter(label: "a.mp3", total: 2_000_000, isTerminal: false, start: start)
        let line = meter.line(500_000, at: start + .seconds(10))
        #expect(line == "a.mp3: 500.0 kB of 2.0 MB  25 %  50.0 kB/s  30 s left")
    }

    @Test("earlier held bytes count for no speed and no time")
    func heldBefore() {
        let start = ContinuousClock.now
        let meter = ProgressMeter(
            label: "a.mp3",
            total: 4_000_000,
            heldBefore: RangeSet([0..<1_000_000, 3_000_000..<4_000_000]),
            isTerminal: false,
            start: start
        )
        let line = meter.line(1_500_000, at: start + .seconds(10))
        #expect(line == "a.mp3: 1.5 MB of 4.0 MB  37 %  50.0 kB/s  30 s left")
        #expect(
            meter.summary(4_000_000, at: start + .seconds(20))
                == "saved a.mp3: 4.0 MB in 20 s, 2.0 MB from the cache, 100.0 kB/s"
        )
        let whole = ProgressMeter(
            label: "-",
            total: 10,
            heldBefore: RangeSet(0..<10),
            isTerminal: false,
            start: start
        )
        #expect(
            whole.summary(10, at: start + .seconds(20))
                == "saved to standard output: 10 B in 20 s, all from the cache"
        )
    }

    @Test(
        "a repeated request shows its attempt, its offset and its file"
    )
    func retries() {
        func line(_ offset: Int64, quiet: Bool = false) -> String? {
            SourceEvent.retrying(
                resource: "music:/a.mp3",
                offset: offset,
                after: .milliseconds(250),
                attempt: RequestAttempt(number: 2, limit: 3),
                reason: "connection refused"
            ).line(isVerbose: false, isQuiet: quiet, tellsRetries: true)
        }
        #expect(line(0) == "  trying again (2 of 3) in 1 s for music:/a.mp3: connection refused")
        #expect(
            line(7)
                == "  trying again at byte 7 (2 of 3) in 1 s for music:/a.mp3: connection refused"
        )
        #expect(line(0, quiet: true) == nil)
    }

    @Test("a silent host is reported with the time and the limit, unless --quiet is given")
    func silence() {
        func line(_ hasAnswered: Bool, quiet: Bool = false) -> String? {
            SourceEvent.silent(
                host: "h",
                hasAnswered: hasAnswered,
                for: .seconds(3),
                limit: .seconds(30)
            ).line(isVerbose: false, isQuiet: quiet)
        }
        #expect(line(false) == "  h has not answered for 3 s; Weir waits up to 30 s.")
        #expect(line(true) == "  h has sent nothing for 3 s; Weir waits up to 30 s.")
        #expect(line(true, quiet: true) == nil)
    }

    @Test("a bar fits into the window, whatever the file's name is")
    func width() {
        for label in ["a.mp3", "thirteen-c.mp3", String(repeating: "日本の歌 ", count: 12)] {
            let meter = ProgressMeter(label: label, total: 80_500, isTerminal: true)
            for width in 1...120 {
                let line = meter.line(8_000, at: .now + .seconds(1), width: width)
                #expect(line.cellCount <= width, "\(line)")
                if width >= 79 { #expect(line.hasSuffix(" s left"), "\(line)") }
            }
        }
    }

    @Test("progress on a terminal has a bar, and never traps")
    func bar() {
        let meter = ProgressMeter(label: "a", total: 0, isTerminal: true)
        #expect(meter.line(0, at: .now).contains("100 %"))
        #expect(
            ProgressMeter(label: "a", total: nil, isTerminal: true).line(5, at: .now).contains(
                "5 B"
            )
        )
    }

    @Test("progress can show any length and any count")
    func outsideNumbers() {
        for total in OutsideNumbers.all {
            for done in OutsideNumbers.all {
                for isTerminal in [false, true] {
                    var meter = ProgressMeter(label: "a", total: total, isTerminal: isTerminal)
                    for time in [Duration.zero, .seconds(1), .seconds(1 << 40)] {
                        #expect(meter.line(done, at: .now + time).hasPrefix("a: "))
                    }
                    if !isTerminal, done < 0 { meter.show(done) }
                }
            }
        }
    }

    @Test("a request is a line without secrets")
    func request() {
        let record = ProxyRequestRecord(
            method: "GET",
            target: "/origin/a.mp3",
            range: .from(5),
            status: 206,
            sentByteCount: 1500,
            duration: .milliseconds(1234),
            isAborted: true
        )
        #expect(
            record.line
                == "GET /origin/a.mp3 bytes 5... → 206, 1.5 kB in 1.234 s, incomplete"
        )
    }

    @Test("the text of an error does not count as bytes of a resource")
    func sent() {
        let log = ServingLog(isVerbose: false, warn: { _ in })
        let answers: [(Int?, Int64)] = [(206, 1500), (502, 107), (416, 40), (nil, 9)]
        for (status, bytes) in answers {
            let record = ProxyRequestRecord(
                method: "GET",
                target: "/origin/a.mp3",
                range: nil,
                status: status,
                sentByteCount: bytes,
                duration: .zero,
                isAborted: false
            )
            log.told(.requestFinished(record))
        }
        #expect(log.counts.requests == 4)
        #expect(log.counts.bytes == 1500)
    }

    @Test("warnings are shown unless --quiet is given, and other events only with --verbose")
    func events() {
        let warning = SourceEvent.cacheDegraded(reason: "The disk is full.")
        #expect(
            warning.line(isVerbose: false, isQuiet: false)?.hasPrefix("warning: The disk") == true
        )
        #expect(warning.line(isVerbose: false, isQuiet: true) == nil)
        let asked = SourceEvent.requested(host: "h", range: .whole)
        #expect(asked.line(isVerbose: false, isQuiet: false) == nil)
        #expect(asked.line(isVerbose: true, isQuiet: false) == "  asks h for bytes 0...")
    }

    @Test(
        "errors end with the documented status",
        arguments: [
            (.notFound, 3), (.unauthorized, 3), (.forbidden, 3), (.unreachable, 4), (.timedOut, 4),
            (.insecure, 4),
            (.originFailed, 4), (.offline, 4), (.cacheFailed, 5), (.notMedia, 6), (.truncated, 6),
            (.changed, 6),
            (.invalidRequest, 2), (.badAnswer, 6), (.wrongKey, 6), (.damaged, 6), (.failed, 1),
        ] as [(SourceError.Code, Int32)]
    )
    func statuses(_ code: SourceError.Code, _ status: Int32) {
        #expect(ExitStatus(for: SourceError(code, "")).rawValue == status)
    }

    @Test(
        "wrong keys are usage errors, and undecryptable files are content errors",
        arguments: [
            (.invalidKey, 2), (.invalidSettings, 2), (.wrongKey, 6), (.damaged, 6), (.tooCostly, 6),
            (.unsupported, 6), (.incomplete, 6),
        ] as [(CipherError.Code, Int32)]
    )
    func cipherStatuses(_ code: CipherError.Code, _ status: Int32) {
        #expect(ExitStatus(for: CipherError(code, "")).rawValue == status)
    }

    @Test("a key that may be wrong causes a warning")
    func keySuspected() {
        let event = SourceEvent.keySuspected(resource: "a.example/film.mp4", id: "0")
        let line = event.line(isVerbose: false, isQuiet: false)
        #expect(line?.hasPrefix("warning: the decrypted bytes of a.example/film.mp4 ") == true)
        #expect(event.line(isVerbose: true, isQuiet: true) == nil)
    }

    @Test("an origin's demand or prohibition is shown unless --quiet is given")
    func originWords() throws {
        func text(_ event: SourceEvent, isQuiet: Bool = false) -> String? {
            event.line(isVerbose: false, isQuiet: isQuiet)
        }
        let waiting = SourceEvent.waiting(
            resource: "nas:/a.mp3",
            remaining: .milliseconds(29_001),
            reason: "status 503"
        )
        #expect(
            text(waiting)
                == "nas:/a.mp3 asks for a pause (status 503); the next request follows in 30 s."
        )
        let forbidden = SourceEvent.storingForbidden(resource: "https://h/a.mp3", id: "0")
        #expect(text(forbidden)?.hasPrefix("warning: ") == true)
        #expect(text(forbidden)?.contains("--ignore-cache-control") == true)
        for isServed in [true, false] {
            let gone = SourceEvent.refusedThoughHeld(
                resource: "nas:/a.mp3",
                id: "0",
                reason: "There is nothing.",
                isServed: isServed
            )
            let line = try #require(text(gone))
            #expect(line.hasPrefix("warning: ") && line.hasSuffix("There is nothing."))
            #expect(line.contains("--when-gone \(isServed ? "refuse" : "serve")"))
            #expect(line.contains("does not play the held bytes") == !isServed)
            #expect(text(gone, isQuiet: true) == nil)
        }
        #expect(text(waiting, isQuiet: true) == nil && text(forbidden, isQuiet: true) == nil)
    }

    @Test("an account whose refresh token was refused is not called renewable")
    func accounts() throws {
        let account = AccountID(service: "yandex", name: "me")
        var tokens = AccountTokens(accessToken: "a", refreshToken: "r")
        #expect(
            AccountsCommand.line(account, tokens)
                == "yandex  me  token without an expiry date, renewed automatically"
        )
        tokens.isRefreshRefused = true
        let line = AccountsCommand.line(account, tokens)
        #expect(!line.contains("renewed automatically"))
        #expect(line.contains("weir login yandex --account me"))
        let json = try Output.jsonLine(AccountsCommand.json(account, tokens))
        #expect(json.contains("\"renews\":false") && json.contains("\"loggedOut\":true"))
        tokens.refreshToken = nil
        tokens.isRefreshRefused = false
        #expect(AccountsCommand.line(account, tokens).hasSuffix("without an expiry date"))
    }
}
