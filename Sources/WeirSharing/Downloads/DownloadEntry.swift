// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// A download as the queue's file stores it: the resource, the user's settings and the result.
///
/// It contains no address with its query, no header and no token (law 9), unless the application
/// has put one into the context. It contains no progress, which follows from the cached bytes.
struct DownloadEntry: Hashable, Sendable {
    /// How a download ended.
    enum Outcome: Hashable, Sendable {
        case finished
        case failed(SourceError)
    }

    /// The resource's key in the cache.
    let key: ResourceKey
    /// Whether to pin the resource while the download is in the queue.
    ///
    /// The resource is then stored even if its origin forbids that.
    var isPinned: Bool
    /// Whether the user has paused it.
    var isPaused = false
    /// Whether the download has set the pin; then the pin is removed with the download.
    var hasPinned = false
    /// The result, if the download has ended.
    var outcome: Outcome?
    /// The application's data.
    var context: DownloadContext

    /// Describes a new download.
    ///
    /// Texts that are longer than a record allows are cut.
    init(_ key: ResourceKey, context: DownloadContext = .empty, isPinned: Bool) {
        let account = key.account.prefix(utf8Count: 1024)
        let display = key.display.prefix(utf8Count: 4096)
        self.key =
            ResourceKey(identifier: key.identifier, account: account, display: display) ?? key
        self.isPinned = isPinned
        self.context = context
    }

    var id: String { self.key.identifier }
}

/// One change of the queue, as its file stores it.
///
/// Applying the same change twice in a row has the effect of applying it once.
enum DownloadRecord: Hashable, Sendable {
    /// The new state of the download; a new download comes after all others.
    case entry(DownloadEntry)
    case removed(String)
    /// The new index of the download, counted among the other downloads.
    case moved(String, to: Int)
}

/// The downloads in order, as the records describe them.
struct DownloadTable: Hashable, Sendable {
    private(set) var order: [String] = []
    private var entries: [String: DownloadEntry] = [:]

    var count: Int { self.order.count }

    /// All downloads in order.
    var all: [DownloadEntry] { self.order.compactMap { self.entries[$0] } }

    subscript(id: String) -> DownloadEntry? { self.entries[id] }

    /// Applies a change; ignores a change of a missing download.
    mutating func apply(_ record: DownloadRecord) {
        switch record {
        case .entry(let entry):
            if self.entries.updateValue(entry, forKey: entry.id) == nil {
                self.order.append(entry.id)
            }
        case .removed(let id):
            guard self.entries.removeValue(forKey: id) != nil else { return }
            self.order.removeAll { $0 == id }
        case .moved(let id, let place):
            guard self.entries[id] != nil else { return }
            self.order.removeAll { $0 == id }
            self.order.insert(id, at: min(max(0, place), self.order.count))
        }
    }
}

extension DownloadRecord {
    /// The format of the queue's file.
    static let format = RecordLog.Format(name: "downloads.queue", magic: "WEIRDNLD", version: 1)

    private enum Kind {
        static let entry: UInt8 = 1
        static let removed: UInt8 = 2
        static let moved: UInt8 = 3
    }

    /// The record in the form of the file.
    var encoded: RecordLog.Record {
        var buffer = WireBuffer()
        let kind: UInt8
        switch self {
        case .entry(let entry):
            kind = Kind.entry
            buffer.write(entry.key, entry.isPinned, entry.isPaused, entry.hasPinned)
            switch entry.outcome {
            case nil: buffer.write(UInt8(0))
            case .finished: buffer.write(UInt8(1))
            case .failed(let failure): buffer.write(UInt8(3), failure)
            }
            buffer.write(entry.context)
        case .removed(let id):
            kind = Kind.removed
            buffer.write(id)
        case .moved(let id, let place):
            kind = Kind.moved
            buffer.write(id, place)
        }
        return RecordLog.Record(kind: kind, payload: buffer.bytes)
    }

    /// Reads a record of the file.
    ///
    /// - Returns: `nil` for an unknown kind, which only adds to the other records, or for a payload
    ///   that its kind cannot have.
    init?(_ record: RecordLog.Record) {
        var buffer = WireBuffer(record.payload)
        do throws(CacheError) {
            switch record.kind {
            case Kind.entry:
                let key = try buffer.read(ResourceKey.self)
                var entry = DownloadEntry(key, isPinned: try buffer.read())
                entry.isPaused = try buffer.read()
                entry.hasPinned = try buffer.read()
                switch try buffer.read(UInt8.self) {
                case 0: break
                case 1: entry.outcome = .finished
                case 2:
                    let failure = SourceError(formerCode: try buffer.read(), try buffer.read())
                    entry.outcome = .failed(failure)
                case 3: entry.outcome = .failed(try buffer.read())
                default: return nil
                }
                // The first records had no context.
                if buffer.count > 0 { entry.context = try buffer.read() }
                self = .entry(entry)
            case Kind.removed: self = .removed(try buffer.read())
            case Kind.moved: self = .moved(try buffer.read(), to: try buffer.read())
            default: return nil
            }
        } catch {
            return nil
        }
    }
}

extension SourceError {
    /// A failure in the form of the first records: the name of a code of this type or of
    /// `CacheError`, or `failed`.
    fileprivate init(formerCode name: String, _ message: String) {
        let fallback: Code = CacheError.Code(named: name) == nil ? .failed : .cacheFailed
        self.init(Code(named: name) ?? fallback, message)
    }
}

extension String {
    /// The text, cut between two characters to at most `count` bytes of UTF-8.
    func prefix(utf8Count count: Int) -> String {
        guard self.utf8.count > count else { return self }
        var end = self.startIndex
        var length = 0
        for index in self.indices {
            length += self[index].utf8.count
            if length > count { break }
            end = self.index(after: index)
        }
        return String(self[..<end])
    }
}
