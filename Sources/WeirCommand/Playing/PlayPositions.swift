// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Weir
import WeirClouds

/// Where long media were left, so that they go on from there.
///
/// A medium is known by a digest: neither its address nor a credential is kept.
struct PlayPositions: Hashable, Sendable {
    struct Entry: Hashable, Sendable, Codable {
        /// Seconds from its beginning.
        var position: Double
        /// When that was noted, in seconds since 1970.
        var noted: Int64
    }

    /// How long a medium must be to be remembered.
    static let shortest = Duration.seconds(600)
    /// How near to its end it counts as played.
    static let ending = Duration.seconds(30)
    /// How near to its beginning it counts as not begun.
    static let beginning = Duration.seconds(10)
    /// How many media are remembered; those noted longest ago are forgotten first.
    static let mostEntries = 500
    /// Nothing that is played is longer, in seconds.
    private static let longest: Double = 31 * 86_400

    private(set) var entries: [String: Entry] = [:]

    init() {}

    /// Takes entries of a file; invalid ones are left out.
    init(_ entries: [String: Entry]) {
        self.entries = entries.filter { digest, entry in
            digest.utf8.count <= 64 && entry.position.isFinite
                && (0...Self.longest).contains(entry.position)
        }
        self.shorten()
    }

    /// Where a medium was left; `nil` if that is not known.
    subscript(digest: String) -> Duration? {
        self.entries[digest].map { .milliseconds(Int64(($0.position * 1000).rounded())) }
    }

    /// Notes where a medium is.
    ///
    /// Nothing is noted of a medium that is short, or of which it is not known how long it is.
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
/// An object of entries by digest. A later format is an object with a `version`, which no digest is: such a file is left as
/// it is, and its positions are not used. What cannot be read otherwise is as if it were not there, and what cannot be
/// written is lost: no position is worth a failure.
struct PositionsFile: Sendable {
    /// No file is longer.
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

    /// Changes the positions of the file; what another process has noted meanwhile stays.
    ///
    /// Where the other has the lock just now, it is tried again for half a second, and then left.
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
            // The name of the temporary file is of this process alone.
            try? PrivateFile.replace(
                self.path,
                with: data + [UInt8(ascii: "\n")],
                through: "\(self.path).\(ProcessInfo.processInfo.processIdentifier)"
            )
            return
        }
    }

    /// The lock that belongs to the file; `nil` where another process holds it, or it cannot be made.
    private func lock() -> FileLock? {
        let folder = (self.path as NSString).deletingLastPathComponent
        guard (try? PrivateFile.makeDirectory(folder)) != nil else { return nil }
        return (try? FileLock("\(self.path).lock", waiting: false)) ?? nil
    }
}

extension PlayPositions {
    /// The digest of a medium: of its identifier in the cache, or of its path on this computer.
    static func digest(of media: Media) -> String {
        Self.digest(of: media.identifier.map { "cache:\($0)" } ?? "file:\(media.display)")
    }

    /// The digest of a name: 32 hexadecimal digits.
    static func digest(of name: String) -> String {
        PacketLine.hexadecimal(SHA256.hash(data: Array(name.utf8)).prefix(16))
    }
}
