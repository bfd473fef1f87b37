// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirCache
package import WeirSource

/// What a download of the queue is doing.
package enum DownloadState: Hashable, Sendable {
    /// Why it waits.
    package enum Wait: UInt8, Hashable, Sendable, CaseIterable {
        /// No network that may be used, or an origin that fails for the moment.
        case network = 1
        /// Nobody has lent its origin.
        case source
        /// No room in the cache.
        case space
    }

    /// It runs when those before it leave room.
    case queued
    case running
    /// The user wants it to wait.
    case paused
    case waiting(Wait)
    /// All of it is held.
    case finished
    case failed(SourceError)

    /// Whether nothing happens to it until the user asks for it.
    package var isOver: Bool {
        switch self {
        case .finished, .failed: true
        case .queued, .running, .paused, .waiting: false
        }
    }
}

/// A download as the queue shows it.
package struct DownloadStatus: Hashable, Sendable {
    /// What the cache calls the resource: 32 hexadecimal digits.
    package var id: String
    /// Where it is from, without a query or a credential.
    package var display: String
    /// The account that it belongs to, as lists of the cache show it.
    package var account: String
    /// What the application stores with it.
    package var context: DownloadContext
    /// What it is doing.
    package var state: DownloadState
    /// How many of its bytes are held.
    package var heldByteCount: Int64
    /// How many bytes it has, once that is known.
    package var length: Int64?
}

/// What the network is, and what of it the queue may use.
package struct DownloadSettings: Hashable, Sendable {
    /// Whether there is a network.
    package var isConnected = true
    /// Whether its bytes cost.
    package var isExpensive = false
    /// Whether the user wants few bytes to go over it.
    package var isConstrained = false
    /// Whether to download over a network whose bytes cost.
    package var allowsExpensive = true
    /// Whether to download although the user wants few bytes to go over the network.
    package var allowsConstrained = true
    /// How many downloads run at once; less than 1 is taken for 1.
    package var maximumRunning = 2

    /// A network that costs nothing, and two downloads at once.
    package init() {}

    /// Whether the network may be used.
    var mayFetch: Bool {
        self.isConnected && (self.allowsExpensive || !self.isExpensive)
            && (self.allowsConstrained || !self.isConstrained)
    }
}

/// What a user does with the queue.
package enum DownloadCommand: Hashable, Sendable {
    /// Puts a download behind all others, or has the one that is there run again.
    ///
    /// An empty context leaves the one that is there.
    case add(ResourceKey, context: DownloadContext = .empty, isKept: Bool)
    case pause(String)
    case resume(String)
    case pauseAll
    case resumeAll
    case move(String, to: Int)
    case remove(String, deletingBytes: Bool)
    /// A download that waits for its source has failed: the application cannot make its medium.
    case fail(String, SourceError)
    case set(DownloadSettings)
    case list
}

extension DownloadState: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        switch try buffer.read(UInt8.self) {
        case 1: self = .queued
        case 2: self = .running
        case 3: self = .paused
        case 4:
            guard let wait = Wait(rawValue: try buffer.read()) else {
                throw CacheError.otherVersion
            }
            self = .waiting(wait)
        case 5: self = .finished
        case 6: self = .failed(try buffer.read())
        default: throw CacheError.otherVersion
        }
    }

    func write(to buffer: inout WireBuffer) {
        switch self {
        case .queued: buffer.write(UInt8(1))
        case .running: buffer.write(UInt8(2))
        case .paused: buffer.write(UInt8(3))
        case .waiting(let wait): buffer.write(UInt8(4), wait.rawValue)
        case .finished: buffer.write(UInt8(5))
        case .failed(let failure): buffer.write(UInt8(6), failure)
        }
    }
}

extension DownloadStatus: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        self.init(
            id: try buffer.read(),
            display: try buffer.read(),
            account: try buffer.read(),
            context: try buffer.read(),
            state: try buffer.read(),
            heldByteCount: max(0, try buffer.read()),
            length: try buffer.read(Int64?.self).flatMap { $0 < 0 ? nil : $0 }
        )
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(
            self.id,
            self.display,
            self.account,
            self.context,
            self.state,
            self.heldByteCount,
            self.length
        )
    }
}

extension DownloadSettings: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        self.init()
        self.isConnected = try buffer.read()
        self.isExpensive = try buffer.read()
        self.isConstrained = try buffer.read()
        self.allowsExpensive = try buffer.read()
        self.allowsConstrained = try buffer.read()
        self.maximumRunning = try buffer.read()
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(self.isConnected, self.isExpensive, self.isConstrained)
        buffer.write(self.allowsExpensive, self.allowsConstrained, self.maximumRunning)
    }
}

extension DownloadCommand: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        switch try buffer.read(UInt8.self) {
        case 1:
            self = .add(
                try buffer.read(),
                context: try buffer.read(),
                isKept: try buffer.read()
            )
        case 2: self = .pause(try buffer.read())
        case 3: self = .resume(try buffer.read())
        case 4: self = .pauseAll
        case 5: self = .resumeAll
        case 6: self = .move(try buffer.read(), to: try buffer.read())
        case 7: self = .remove(try buffer.read(), deletingBytes: try buffer.read())
        case 8: self = .set(try buffer.read())
        case 9: self = .list
        case 10: self = .fail(try buffer.read(), try buffer.read())
        default: throw CacheError.otherVersion
        }
    }

    func write(to buffer: inout WireBuffer) {
        switch self {
        case .add(let key, let context, let isKept):
            buffer.write(UInt8(1), key, context, isKept)
        case .pause(let id): buffer.write(UInt8(2), id)
        case .resume(let id): buffer.write(UInt8(3), id)
        case .pauseAll: buffer.write(UInt8(4))
        case .resumeAll: buffer.write(UInt8(5))
        case .move(let id, let place): buffer.write(UInt8(6), id, place)
        case .remove(let id, let deletes): buffer.write(UInt8(7), id, deletes)
        case .set(let settings): buffer.write(UInt8(8), settings)
        case .list: buffer.write(UInt8(9))
        case .fail(let id, let failure): buffer.write(UInt8(10), id, failure)
        }
    }
}
