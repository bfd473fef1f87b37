// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// A download as it is written down: which resource, and what the user and the origin have said of it.
///
/// Neither an address with its query nor a header nor a token is in it (law 9), unless the application has put one into
/// the context; and no progress: that is what the cache holds.
struct DownloadEntry: Hashable, Sendable {
    /// How a download ended.
    enum Outcome: Hashable, Sendable {
        case finished
        case failed(SourceError)
    }

    /// The resource's key in the cache.
    let key: ResourceKey
    /// Whether the resource is pinned for as long as the download is in the queue, and stored though its origin forbids
    /// it.
    var isKept: Bool
    /// Whether the user wants it to wait.
    var isPaused = false
    /// Whether the pin is the download's own, which goes with it.
    var hasPinned = false
    /// How it ended, if it has.
    var outcome: Outcome?
    /// What the application stores with it.
    var context: DownloadContext

    /// Describes a download that is to be run.
    ///
    /// A name that is longer than a record allows is cut.
    init(_ key: ResourceKey, context: DownloadContext = .empty, isKept: Bool) {
        let account = key.account.prefix(utf8Count: 1024)
        let display = key.display.prefix(utf8Count: 4096)
        self.key =
            ResourceKey(identifier: key.identifier, account: account, display: display) ?? key
        self.isKept = isKept
        self.context = context
    }

    var id: String { self.key.identifier }
}

/// One change of the queue, as it is written down.
///
/// To perform a change a second time in its place changes nothing.
enum DownloadRecord: Hashable, Sendable {
    /// The download is this now; a new one stands behind all others.
    case entry(DownloadEntry)
    case removed(String)
    /// The download stands at this place now, counted without it.
    case moved(String, to: Int)
}

/// The downloads in their order: what the records say.
struct DownloadTable: Hashable, Sendable {
    private(set) var order: [String] = []
    private var entries: [String: DownloadEntry] = [:]

    var count: Int { self.order.count }

    /// All downloads in their order.
    var all: [DownloadEntry] { self.order.compactMap { self.entries[$0] } }

    subscript(id: String) -> DownloadEntry? { self.entries[id] }

    /// Takes a change in; one of a download that is not there is none.
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
    /// What tells the file from others.
    static let format = RecordLog.Format(name: "downloads.queue", magic: "WEIRDNLD", version: 1)

    private enum Kind {
        static let entry: UInt8 = 1
        static let removed: UInt8 = 2
        static let moved: UInt8 = 3
    }

    /// The record as the file has it.
    var encoded: RecordLog.Record {
        var buffer = WireBuffer()
        let kind: UInt8
        switch self {
        case .entry(let entry):
            kind = Kind.entry
            buffer.write(entry.key, entry.isKept, entry.isPaused, entry.hasPinned)
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
    /// - Returns: `nil` for a kind that is not known, which only adds to what the others say, or for a payload that its
    ///   kind cannot have.
    init?(_ record: RecordLog.Record) {
        var buffer = WireBuffer(record.payload)
        do throws(CacheError) {
            switch record.kind {
            case Kind.entry:
                let key = try buffer.read(ResourceKey.self)
                var entry = DownloadEntry(key, isKept: try buffer.read())
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
    /// A failure as the first records had it: the name of a code of this type or of `CacheError`, or `failed`.
    fileprivate init(formerCode name: String, _ message: String) {
        let fallback: Code = CacheError.Code(named: name) == nil ? .failed : .cacheFailed
        self.init(Code(named: name) ?? fallback, message)
    }
}

extension String {
    /// The text, cut between two characters to at most so many bytes of UTF-8.
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
