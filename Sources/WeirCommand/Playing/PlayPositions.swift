// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Weir
import WeirClouds

/// The positions at which long media stopped, so that playback can continue there.
///
/// A digest identifies a medium, so the file contains no URL and no credential.
struct PlayPositions: Hashable, Sendable {
    struct Entry: Hashable, Sendable, Codable {
        /// Seconds from the beginning of the medium.
        var position: Double
        /// The time of the note, in seconds since 1970.
        var noted: Int64
    }

    /// The shortest medium whose position is remembered.
    static let shortest = Duration.seconds(600)
    /// A position this close to the end counts as played.
    static let ending = Duration.seconds(30)
    /// A position this close to the beginning counts as not started.
    static let beginning = Duration.seconds(10)
    /// How many media are remembered; the oldest notes are dropped first.
    static let mostEntries = 500
    /// The longest valid position, in seconds.
    private static let longest: Double = 31 * 86_400

    private(set) var entries: [String: Entry] = [:]

    init() {}

    /// Takes the entries of a file, and drops invalid ones.
    init(_ entries: [String: Entry]) {
        self.entries = entries.filter { digest, entry in
            digest.utf8.count <= 64 && entry.position.isFinite
                && (0...Self.longest).contains(entry.position)
        }
        self.shorten()
    }

    /// The last position of a medium; `nil` if none is known.
    subscript(digest: String) -> Duration? {
        self.entries[digest].map { .milliseconds(Int64(($0.position * 1000).rounded())) }
    }

    /// Notes the position of a medium.
    ///
    /// Positions of a medium that is short, or whose length is unknown, are not noted.
    mutating func note(_ digest: String, at position: Duration, of duration: Duration?, now: Int64)
    {
        guard let duration, duration >= Self.shortest else { return }
        guard position >= Self.beginning, position < duration - Self.ending else {
            self.entries[digest] = nil
            return
        }
        let seconds = (position / .milliseconds(1)).rounded() / 1000
        guard seconds <= Self.longest else { return }
        self.entries[digest] = Entry(position: seconds, noted: now)
        self.shorten()
    }

    private mutating func shorten() {
        let surplus = self.entries.count - Self.mostEntries
        guard surplus > 0 else { return }
        let oldest = self.entries.sorted {
            ($0.value.noted, $0.key) < ($1.value.noted, $1.key)
        }
        for (digest, _) in oldest.prefix(surplus) { self.entries[digest] = nil }
    }
}

/// The file of remembered positions.
///
/// The file is a JSON object with an entry for each digest. A later format is an object with a
/// `version`, which is not a digest. Weir leaves such a file unchanged and ignores its positions.
/// Weir treats other unreadable content as a missing file, and ignores a failed write: a position
/// is not worth an error.
struct PositionsFile: Sendable {
    /// The largest valid size of the file.
    private static let largestSize = 1 << 20

    private let path: String

    /// The file in the user's state folder.
    init(_ environment: ProgramEnvironment) {
        self.init(path: "\(environment.stateDirectory)/positions.json")
    }

    init(path: String) { self.path = path }

    private struct LaterFormat: Decodable {
        var version: Int
    }

    func read() -> PlayPositions { self.known() ?? PlayPositions() }

    /// The positions of the file; `nil` if a newer Weir wrote it.
    private func known() -> PlayPositions? {
        guard let handle = FileHandle(forReadingAtPath: self.path) else {
            return PlayPositions()
        }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: Self.largestSize + 1),
            data.count <= Self.largestSize
        else { return PlayPositions() }
        let decoder = JSONDecoder()
        if let entries = try? decoder.decode([String: PlayPositions.Entry].self, from: data) {
            return PlayPositions(entries)
        }
        return (try? decoder.decode(LaterFormat.self, from: data)) == nil ? PlayPositions() : nil
    }

    /// Changes the positions in the file, and keeps notes of other processes.
    ///
    /// If another process holds the lock, this method tries again for half a second, then gives up.
    func change(_ change: (inout PlayPositions) -> Void) {
        for attempt in 0..<25 {
            if attempt > 0 { usleep(20_000) }
            guard let lock = self.lock() else { continue }
            defer { lock.release() }
            guard let before = self.known() else { return }
            var positions = before
            change(&positions)
            guard positions != before else { return }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            guard let data = try? encoder.encode(positions.entries) else { return }
            // The name of the temporary file contains this process's number.
            try? PrivateFile.replace(
                self.path,
                with: data + [UInt8(ascii: "\n")],
                through: "\(self.path).\(ProcessInfo.processInfo.processIdentifier)"
            )
            return
        }
    }

    /// Takes the file's lock; `nil` if another process holds it, or it cannot be created.
    private func lock() -> FileLock? {
        let folder = (self.path as NSString).deletingLastPathComponent
        guard (try? PrivateFile.makeDirectory(folder)) != nil else { return nil }
        return (try? FileLock("\(self.path).lock", waiting: false)) ?? nil
    }
}

extension PlayPositions {
    /// The digest of a medium, from its identifier in the cache, or from its path on this computer.
    static func digest(of media: Media) -> String {
        Self.digest(of: media.identifier.map { "cache:\($0)" } ?? "file:\(media.display)")
    }

    /// The digest of a name: 32 hexadecimal digits.
    static func digest(of name: String) -> String {
        PacketLine.hexadecimal(SHA256.hash(data: Array(name.utf8)).prefix(16))
    }
}
