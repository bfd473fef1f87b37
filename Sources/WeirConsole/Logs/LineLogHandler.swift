// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Logging

/// Writes the events of a log as lines, for people or for programs.
///
///     2026-11-26T19:30:00.123Z info    12-3 GET /origin/Song.mp3 → 206, 65.5 kB in 0.002 s
///     {"level":"info","message":"GET …","request":"12-3","time":"2026-11-26T19:30:00.123Z"}
///
/// Metadata follow the message as `name=value`, or are members of the JSON object. Callers keep
/// secrets out of messages; this code only makes lines of them.
package struct LineLogHandler: LogHandler {
    /// The form of a line.
    package enum Form: String, CaseIterable, Sendable {
        case text
        case json
    }

    /// The key of the metadata value that is written before the message.
    package static let requestKey = "request"

    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]

    private let form: Form
    private let write: @Sendable (String) -> Void
    private let now: @Sendable () -> Date

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - form: the form of a line.
    ///   - now: the time of day.
    ///   - write: writes a line, which has no line end yet.
    package init(
        _ form: Form,
        now: @escaping @Sendable () -> Date = { Date() },
        write: @escaping @Sendable (String) -> Void
    ) {
        self.form = form
        self.now = now
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let all = self.metadata.merging(event.metadata ?? [:]) { _, new in new }
        let time = self.now().formatted(Self.timeFormat)
        switch self.form {
        case .text:
            let level = event.level.rawValue
            let gap = String(repeating: " ", count: max(0, 7 - level.count))
            let request = all[Self.requestKey].map { "\($0) " } ?? ""
            let rest = all.filter { $0.key != Self.requestKey }.sorted { $0.key < $1.key }
                .map { " \($0.key)=\($0.value)" }.joined()
            self.write(
                "\(time) \(level)\(gap) \(request)\(event.message)\(rest)".withoutLineEnds
            )
        case .json:
            var members = all.mapValues { "\($0)" }
            members["time"] = time
            members["level"] = event.level.rawValue
            members["message"] = "\(event.message)"
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            guard let data = try? encoder.encode(members) else { return }
            self.write(String(decoding: data, as: UTF8.self))
        }
    }

    private static let timeFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension String {
    /// The text on one line: line ends and control characters become spaces.
    fileprivate var withoutLineEnds: String {
        let isPlain = self.unicodeScalars.allSatisfy { !$0.isControl }
        guard !isPlain else { return self }
        return String(String.UnicodeScalarView(self.unicodeScalars.map { $0.isControl ? " " : $0 }))
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        self.value < 0x20 || (0x7F...0x9F).contains(self.value) || self.value == 0x2028
            || self.value == 0x2029
    }
}
