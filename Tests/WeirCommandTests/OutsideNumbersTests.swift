// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing
import WeirAudio
import WeirCipher
import WeirSource
import WeirTestKit

@testable import WeirCommand

/// The command's entry points that take numbers from outside return a value or an error, and never trap.
///
/// The numbers come from options, the configuration, the command's own files, and origins.
@Suite("Numbers from outside, in the command")
struct OutsideNumbersTests {
    /// Numbers that a user, or an attacker, may write.
    private static let texts =
        OutsideNumbers.texts + OutsideNumbers.fractions.map { "\($0)" }
        + OutsideNumbers.texts.map { "\($0).5" }

    @Test("sizes")
    func sizes() {
        for text in Self.texts {
            for unit in [
                "", "B", "kB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB", "k", "T", "x",
            ] {
                guard let size = ByteSize(argument: text + unit) else { continue }
                #expect((0...(1 << 62)).contains(size.bytes), "\(text)\(unit)")
            }
        }
        for number in OutsideNumbers.all { #expect(!ByteSize.format(number).isEmpty) }
    }

    @Test("times, lengths and positions")
    func times() {
        for text in Self.texts {
            for unit in ["", "s", "m", "h", "d", "x"] {
                if let span = TimeSpan(argument: text + unit) {
                    #expect(span.duration >= .zero && span.seconds <= 100 * 366 * 86_400)
                }
                if let time = PlayTime(argument: text + unit) {
                    #expect(time.duration >= .zero && time.duration <= .seconds(31 * 86_400))
                }
            }
            for other in ["0", "59", text] {
                _ = PlayTime(argument: "\(text):\(other)")
                _ = PlayTime(argument: "\(other):\(text):\(other)")
            }
        }
        for seconds in OutsideNumbers.all {
            for part in [0, 400_000_000_000_000_000, 999_999_999_999_999_999] as [Int64] {
                let time = Duration(secondsComponent: seconds, attosecondsComponent: part)
                #expect(!time.clockText.isEmpty)
                #expect(!time.secondsText.isEmpty)
            }
        }
    }

    @Test("ports, volumes and counts")
    func counts() {
        for text in Self.texts {
            if let address = ListenAddress(argument: "127.0.0.1:\(text)") {
                #expect((0...65_535).contains(address.port))
            }
            if let volume = Volume(argument: text) { #expect((0...1).contains(volume.share)) }
            _ = KeyDerivation(argument: "pbkdf2:\(text)")
            _ = KeyBits(argument: text)
        }
    }

    @Test("the configuration")
    func configuration() {
        let keys = [
            "cache-limit", "cache-count", "cache-age", "cache-reserve", "revalidate", "read-ahead",
            "limit-rate", "listen",
        ]
        for text in Self.texts {
            for value in [text, "\"\(text)\"", "\"\(text)h\"", "\"127.0.0.1:\(text)\""] {
                for key in keys { Self.parse("\(key) = \(value)\n") }
                for key in ["counter", "plain-header", "key-bits", "kdf", "iv"] {
                    Self.parse(
                        """
                        [sources.a]
                        service = "http"
                        url = "https://h.example/"
                        decrypt = "aes-ctr"
                        key-env = "K"
                        \(key) = \(value)
                        """
                    )
                }
            }
        }
    }

    private static func parse(_ text: String) {
        do {
            _ = try Configuration.parse(
                Array(text.utf8),
                file: "/etc/w/config.toml",
                isPrivate: true,
                ProgramEnvironment(["HOME": "/home/w"])
            )
        } catch {
            #expect(!"\(error)".isEmpty)
        }
    }

    @Test("the progress of a transfer")
    func progress() {
        let later = ContinuousClock.now + .seconds(3600)
        for isTerminal in [true, false] {
            for total in OutsideNumbers.all.map(Int64?.init) + [nil] {
                var meter = ProgressMeter(label: "a", total: total, isTerminal: isTerminal)
                for done in OutsideNumbers.all {
                    let line = meter.line(done, at: .now)
                    #expect(line.hasPrefix("a: "))
                    #expect(meter.line(done, at: later).hasPrefix("a: "))
                    // `show` writes to the terminal that runs the tests, so the test calls it only a few times.
                    if !isTerminal, total == nil { meter.show(done) }
                }
            }
        }
        let meter = ProgressMeter(label: "a", total: .max, isTerminal: true)
        #expect(meter.line(.max - 1, at: later).contains("99 %"))
        #expect(meter.line(.max, at: later).contains("100 %"))
        #expect(meter.line(0, at: later).contains("  0 %"))
    }

    @Test("the output of inspect for claimed samples")
    func inspected() {
        for seconds in OutsideNumbers.fractions { #expect(!Inspection.time(seconds).isEmpty) }
        for samples in OutsideNumbers.all {
            for rate in [1, 44_100] {
                let seconds = SampleCount(samples).seconds(sampleRate: rate)
                #expect(!Inspection.time(seconds).isEmpty)
            }
        }
    }

    @Test("remembered positions")
    func positions() {
        for position in OutsideNumbers.fractions {
            for noted in OutsideNumbers.all {
                let positions = PlayPositions(["d": .init(position: position, noted: noted)])
                if let position = positions["d"] { #expect(position >= .zero) }
            }
        }
        for number in OutsideNumbers.all {
            var positions = PlayPositions()
            positions.note("d", at: .seconds(number), of: .seconds(Int64.max), now: number)
            positions.note("d", at: .seconds(60), of: .seconds(number), now: number)
            if let position = positions["d"] { #expect(position >= .zero) }
        }
    }
}
