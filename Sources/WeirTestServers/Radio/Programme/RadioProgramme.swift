// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a station sends, and how fast.
public struct RadioProgramme: Sendable {
    /// What is sent over and over; a second file only where ``RadioQuirk/change(after:)`` says so.
    public var files: [RadioFile]
    /// What the station is called, in `icy-name`.
    public var name: String
    /// What it says that it plays, in the order of the offsets.
    public var titles: [RadioTitle]
    /// How fast it sends.
    public var pace: RadioPace
    /// Where connections join.
    public var start: RadioStart
    /// The addresses in its playlists: targets, which are written absolute in PLS and relative in M3U, or whole
    /// addresses.
    public var entries: [String]

    /// Makes a programme.
    ///
    /// - Parameters:
    ///   - files: what is sent, at least one.
    ///   - name: what the station is called.
    ///   - titles: what it says that it plays, in the order of the offsets.
    ///   - pace: how fast it sends.
    ///   - start: where connections join.
    ///   - entries: the addresses in its playlists.
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

    /// The title of a place of the sound; `nil` before the first.
    func title(at offset: Int64) -> RadioTitle? {
        self.titles.last { $0.offset <= offset }
    }
}
