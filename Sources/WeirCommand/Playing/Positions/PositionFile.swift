// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The file of remembered positions.
///
/// An object of entries by digest. A later format is an object with a `version`, which no digest is: such a file is left as
/// it is, and its positions are not used. What cannot be read otherwise is as if it were not there, and what cannot be
/// written is lost: no position is worth a failure.
struct PositionFile: Sendable {
    /// No book is longer.
    private static let largestSize = 1 << 20

    private let file: PrivateFile

    /// The file in the user's state folder.
    init(_ surroundings: Surroundings) {
        self.init(path: "\(surroundings.stateDirectory)/positions.json")
    }

    /// A file.
    init(path: String) { self.file = PrivateFile(path: path) }

    /// A file of a later format.
    private struct LaterFormat: Decodable {
        var version: Int
    }

    /// What is remembered.
    func read() -> PositionBook { self.book() ?? PositionBook() }

    /// What is remembered; `nil` if a newer Weir wrote it.
    private func book() -> PositionBook? {
        guard let handle = FileHandle(forReadingAtPath: self.file.path) else {
            return PositionBook()
        }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: Self.largestSize + 1),
            data.count <= Self.largestSize
        else { return PositionBook() }
        let decoder = JSONDecoder()
        if let entries = try? decoder.decode([String: PositionBook.Entry].self, from: data) {
            return PositionBook(entries)
        }
        return (try? decoder.decode(LaterFormat.self, from: data)) == nil ? PositionBook() : nil
    }

    /// Changes what is remembered; what another process has noted meanwhile stays.
    ///
    /// Where the other has the lock just now, it is tried again for half a second, and then left.
    ///
    /// - Parameter change: is given what is remembered now.
    func change(_ change: (inout PositionBook) -> Void) {
        for attempt in 0..<25 {
            if attempt > 0 { usleep(20_000) }
            guard let lock = try? self.file.lock(waiting: false) else { continue }
            defer { lock.release() }
            guard let before = self.book() else { return }
            var book = before
            change(&book)
            guard book != before else { return }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            guard let data = try? encoder.encode(book.entries) else { return }
            try? self.file.replace(with: data + Data("\n".utf8))
            return
        }
    }
}
