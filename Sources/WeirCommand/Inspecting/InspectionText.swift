// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirAudio
import WeirLive
import WeirSource

extension Inspection {
    /// All findings for a person, one fact a line.
    var text: String {
        var lines = [self.name.printableLine]
        if let playlist {
            lines.append(
                Self.line(
                    "playlist",
                    "\(playlist.kind.rawValue), \(Self.count(playlist.entries.count, "entry", "entries"))"
                )
            )
            lines += playlist.entries.map {
                let title = $0.title.map { "  \($0.printableLine)" } ?? ""
                return "    \($0.location.printableLine)\(title)"
            }
            if playlist.isCut { lines.append("    and more, which Weir does not read") }
            return lines.joined(separator: "\n")
        }
        if let station { lines += Self.lines(of: station) }
        for format in self.formats {
            lines += Self.lines(of: format, isOnly: self.formats.count == 1)
        }
        lines += self.packetLines
        for tag in self.tags { lines += Self.lines(of: tag) }
        if self.troubleCount > 0 {
            lines.append(Self.line("trouble", Self.count(self.troubleCount, "time", "times")))
            lines += self.troubles.prefix(20).map { "    \($0.text)" }
            if self.troubleCount > 20 { lines.append("    and \(self.troubleCount - 20) more") }
        }
        if self.isCutShort {
            lines.append(Self.line("cut short", "its headers describe more sound than it has"))
        }
        if !self.isComplete, self.failure == nil, self.station == nil {
            lines.append(Self.line("examined", "the beginning; --packets examines all of it"))
        }
        return lines.joined(separator: "\n")
    }

    private static func lines(of station: Station) -> [String] {
        let name = station.name.printableLine
        var lines = [
            Self.line(
                "station",
                "\(station.address.printableLine), without an end; weir play \(name) plays it"
            )
        ]
        guard let headers = station.info?.headers else { return lines }
        let rate = headers.bitsPerSecond.map { "\($0 / 1000) kbit/s, as announced" }
        for (label, text) in [
            ("name", headers.name), ("genre", headers.genre), ("about", headers.description),
            ("page", headers.url), ("bit rate", rate),
        ] {
            if let text { lines.append(Self.line(label, text.printableLine)) }
        }
        return lines
    }

    private var packetLines: [String] {
        guard let smallest = self.packets.smallest, let largest = self.packets.largest else {
            return []
        }
        let sizes = smallest == largest ? "\(smallest) B each" : "\(smallest) to \(largest) B"
        var text = "\(self.packets.count), \(sizes), \(self.packets.samples) samples"
        if self.packets.heardSamples != self.packets.samples {
            text += ", \(self.packets.heardSamples) of them heard"
        }
        return [Self.line("packets", text)]
    }

    private static func lines(of format: AudioFormat, isOnly: Bool) -> [String] {
        var what = [format.codec.word, "\(format.sampleRate) Hz"]
        what.append(
            format.channelCount.map { Self.count($0, "channel", "channels") } ?? "channels unknown"
        )
        if let bits = format.bitsPerSample { what.append("\(bits) bit") }
        var lines = [
            Self.line(
                isOnly ? "format" : "format \(format.section + 1)",
                what.joined(separator: ", ")
            )
        ]
        if format.mayDecodeToDoubleRate {
            lines.append(
                Self.line("", "perhaps HE-AAC: rate and channels are known when it is decoded")
            )
        }
        if let duration = format.duration {
            let seconds = duration.samples.seconds(sampleRate: format.sampleRate)
            let text =
                "\(Self.time(seconds)), \(duration.samples.rawValue) samples, \(duration.certainty.rawValue)"
            lines.append(Self.line("duration", text))
        }
        if let rate = format.bitRate {
            let kilobits = Self.decimal(Double(rate.bitsPerSecond) / 1000)
            lines.append(Self.line("bit rate", "\(kilobits) kbit/s, \(rate.kind.rawValue)"))
        }
        if let trim = format.trim {
            let end = trim.trailing.map { ", \($0.rawValue) at the end" } ?? ""
            lines.append(Self.line("trim", "\(trim.leading.rawValue) samples at the start\(end)"))
        }
        if let gain = format.gain { lines.append(Self.line("gain", "\(gain) dB")) }
        return lines
    }

    private static func lines(of tag: AudioTags) -> [String] {
        var lines = [
            Self.line(
                "tags",
                "\(tag.kind.rawValue), \(tag.range.upperBound - tag.range.lowerBound) B at byte \(tag.range.lowerBound)"
            )
        ]
        lines += tag.fields.map { field in
            "    \(field.name.printableLine)  \(field.values.map(\.printableLine).joined(separator: " / "))"
        }
        lines += tag.pictures.map {
            let description =
                $0.description.isEmpty ? "" : ", \($0.description.printableLine)"
            return
                "    picture \($0.kind)  \($0.mediaType.printableLine), \($0.data.count) B\(description)"
        }
        lines += tag.chapters.map {
            "    chapter  \(Self.time(Double($0.startMilliseconds) / 1000))  \($0.title.printableLine)"
        }
        return lines
    }

    private static func line(_ name: String, _ text: String) -> String {
        "  \(name)\(String(repeating: " ", count: max(1, 11 - name.count)))\(text)"
    }

    /// A number with at most one decimal; the separator is a point in every locale.
    static func decimal(_ number: Double) -> String {
        let text = String(format: "%.1f", number)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func count(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }

    /// Minutes, seconds and thousandths.
    static func time(_ seconds: Double) -> String {
        // A header may claim any number of samples, at any rate.
        let thousandths = Int64(nearest: (abs(seconds) * 1000).rounded())
        let whole = thousandths / 1000
        let rest = String(String(1000 + thousandths % 1000).dropFirst())
        let minutes = String(100 + whole % 3600 / 60).dropFirst()
        let ofMinute = String(100 + whole % 60).dropFirst()
        let sign = seconds < 0 ? "-" : ""
        return whole >= 3600
            ? "\(sign)\(whole / 3600):\(minutes):\(ofMinute).\(rest)"
            : "\(sign)\(whole / 60):\(ofMinute).\(rest)"
    }
}
