// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The content of a station, and its pace.
public struct RadioProgramme: Sendable {
    /// The files that are sent over and over; the second one only with
    /// ``RadioQuirk/change(after:)``.
    public var files: [RadioFile]
    /// The name of the station, in `icy-name`.
    public var name: String
    /// The announced titles, in the order of the offsets.
    public var titles: [RadioTitle]
    /// How fast the station sends.
    public var pace: RadioPace
    /// Where connections join.
    public var start: RadioStart
    /// The addresses in the station's playlists: targets or whole addresses.
    ///
    /// Targets are written absolute in PLS and relative in M3U.
    public var entries: [String]

    /// Makes a programme.
    ///
    /// - Parameters:
    ///   - files: the files to send, at least one.
    ///   - name: the name of the station.
    ///   - titles: the announced titles, in the order of the offsets.
    ///   - pace: how fast the station sends.
    ///   - start: where connections join.
    ///   - entries: the addresses in the playlists.
    public init(
        _ files: [RadioFile],
        name: String = "Weir Test Radio",
        titles: [RadioTitle] = [],
        pace: RadioPace = RadioPace(),
        start: RadioStart = .beginning,
        entries: [String] = ["/stream"]
    ) {
        self.files = files
        self.name = name
        self.titles = titles
        self.pace = pace
        self.start = start
        self.entries = entries
    }

    /// The title at a byte of the sound; `nil` before the first.
    func title(at offset: Int64) -> RadioTitle? {
        self.titles.last { $0.offset <= offset }
    }
}

/// A title that a station announces, from a byte of its sound on.
public struct RadioTitle: Sendable, Hashable, Codable {
    /// Where the title begins: a byte of the station's sound, counted as ``RadioStart`` says.
    public var offset: Int64
    /// The text between the quotes of `StreamTitle`.
    public var text: String

    /// Makes a title.
    ///
    /// - Parameters:
    ///   - offset: where the title begins.
    ///   - text: the title.
    public init(at offset: Int64, _ text: String) {
        self.offset = offset
        self.text = text
    }

    /// The block of a title in a stream: a length in units of 16 bytes, then the text, padded with
    /// zeros.
    ///
    /// - Parameter isLatin1: whether the text is written in ISO 8859-1, as far as possible; else in
    ///   UTF-8.
    /// - Returns: at most 4,081 bytes.
    func block(isLatin1: Bool) -> [UInt8] {
        var bytes = Self.encoded("StreamTitle='\(self.text)';StreamUrl='';", isLatin1: isLatin1)
        bytes = Array(bytes.prefix(255 * 16))
        let units = (bytes.count + 15) / 16
        let padding = [UInt8](repeating: 0, count: units * 16 - bytes.count)
        return [UInt8(units)] + bytes + padding
    }

    static func encoded(_ text: String, isLatin1: Bool) -> [UInt8] {
        guard isLatin1 else { return Array(text.utf8) }
        return text.unicodeScalars.map { $0.value < 256 ? UInt8($0.value) : UInt8(ascii: "?") }
    }
}

/// How fast a station sends.
public struct RadioPace: Sendable, Hashable, Codable {
    /// Bytes of sound a second; `nil`: as fast as they are read.
    public var bytesPerSecond: Int64?
    /// How many bytes of sound a connection gets at once, when it begins.
    public var burst: Int64

    /// Makes a pace.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: bytes of sound a second; `nil`: as fast as they are read.
    ///   - burst: how many bytes a connection gets at once.
    public init(bytesPerSecond: Int64? = nil, burst: Int64 = 0) {
        self.bytesPerSecond = bytesPerSecond.map { min(max(1, $0), 1 << 40) }
        self.burst = min(max(0, burst), 1 << 40)
    }

    /// How many bytes may have been sent by a time.
    func allowance(at elapsed: Duration) -> Int64 {
        guard let bytesPerSecond else { return .max }
        return self.burst + Int64(Double(bytesPerSecond) * elapsed.inSeconds)
    }

    /// The time at which this many bytes may have been sent.
    func time(of count: Int64) -> Duration {
        guard let bytesPerSecond, count > self.burst else { return .zero }
        return .seconds(Double(count - self.burst) / Double(bytesPerSecond))
    }
}

extension Duration {
    /// The duration as a number of seconds.
    var inSeconds: Double {
        let (seconds, attoseconds) = self.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
