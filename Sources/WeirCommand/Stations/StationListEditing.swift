// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirHTTP

/// Changes one section of the text, and keeps comments and order.
///
/// The new text is parsed again, so that a text in an unusual form is refused and not damaged.
extension StationList {
    private static let heading =
        "# The stations of weir play. weir radio add and weir radio remove change this file; you may edit it.\n"

    /// The text with a new station at its end; the list must not have a station of the same name.
    ///
    /// - Throws: ``CommandError`` with `usage` if the text cannot be extended.
    func adding(_ station: StationSettings) throws(CommandError) -> String {
        var text = self.text
        if text.allSatisfy(\.isWhitespace) { text = Self.heading }
        if !text.hasSuffix("\n") { text += "\n" }
        text += "\n[stations.\(station.name)]\nurl = \(Self.quoted(station.text))\n"
        if !station.headers.isEmpty {
            let headers = station.headers.headers.map { Self.quoted("\($0.name): \($0.value)") }
            text += "headers = [\(headers.joined(separator: ", "))]\n"
        }
        if !station.environmentHeaders.isEmpty {
            let headers = station.environmentHeaders.map {
                Self.quoted("\($0.name)=\($0.variable)")
            }
            text += "header-env = [\(headers.joined(separator: ", "))]\n"
        }
        if let charset = station.charset {
            text += "charset = \(Self.quoted(charset.name))\n"
        }
        let expected = (self.stations + [station]).sorted { $0.name < $1.name }
        return try self.checked(text, is: expected, station.name)
    }

    /// The text without a station, and without the comment directly above it.
    ///
    /// - Throws: ``CommandError`` with `usage` if the station is not written as a section.
    func removing(_ name: String) throws(CommandError) -> String {
        var lines = Self.lines(of: self.text)
        guard let top = try? TOMLReader.read(self.text).entries["stations"],
            case .table(let stations) = top.value,
            let first = stations.entries[name]?.position.line, lines.indices.contains(first - 1),
            lines[first - 1].drop(while: \.isWhitespace).first == "["
        else { throw self.isUnusual(name) }
        // The section ends before the next section and its comment.
        let others = stations.entries.filter { $0.key != name }.values.map(\.position.line)
        let next = (others + [top.position.line]).filter { $0 > first }.min()
        var end = (next ?? lines.count + 1) - 1
        if next != nil {
            while end > first, Self.isFiller(lines[end - 1]) { end -= 1 }
        }
        var start = first - 1
        while start > 0, Self.isComment(lines[start - 1]) { start -= 1 }
        // A comment at the top of the file belongs to the file.
        if start == 0 { start = first - 1 }
        lines.removeSubrange(start..<end)
        if start > 0, start < lines.count, Self.isBlank(lines[start - 1]),
            Self.isBlank(lines[start])
        {
            lines.remove(at: start)
        }
        while let last = lines.last, Self.isBlank(last), lines.count > 1 { lines.removeLast() }
        let text = lines.joined()
        return try self.checked(text, is: self.stations.filter { $0.name != name }, name)
    }

    /// The lines, each with its line feed.
    private static func lines(of text: String) -> [String] {
        var lines: [String] = []
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            line.append(scalar)
            guard scalar == "\n" else { continue }
            lines.append(String(line))
            line = String.UnicodeScalarView()
        }
        if !line.isEmpty { lines.append(String(line)) }
        return lines
    }

    private static func isBlank(_ line: String) -> Bool { line.allSatisfy(\.isWhitespace) }

    private static func isComment(_ line: String) -> Bool {
        line.drop(while: \.isWhitespace).first == "#"
    }

    private static func isFiller(_ line: String) -> Bool {
        Self.isBlank(line) || Self.isComment(line)
    }

    private func checked(
        _ text: String,
        is expected: [StationSettings],
        _ name: String
    ) throws(CommandError) -> String {
        guard let read = try? StationList(file: self.file, text: text), read.stations == expected
        else { throw self.isUnusual(name) }
        return text
    }

    private func isUnusual(_ name: String) -> CommandError {
        CommandError.usage(
            "The stations in \(self.file) have a form that weir cannot change, so '\(name)' has not changed; edit the"
                + " file, in which each station is a section [stations.NAME]."
        )
    }

    /// A TOML basic string (its §String) for a text.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                quoted += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return "\(quoted)\""
    }
}
