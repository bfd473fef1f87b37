// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirCache
package import WeirSource

/// The state of a download in the queue.
package enum DownloadState: Hashable, Sendable {
    /// The reason for waiting.
    package enum Wait: UInt8, Hashable, Sendable, CaseIterable {
        /// No usable network, or an origin that fails temporarily.
        case network = 1
        /// No user has lent its origin.
        case source
        /// No room in the cache.
        case space
    }

    /// It waits for its turn behind other downloads.
    case queued
    case running
    /// The user has paused it.
    case paused
    case waiting(Wait)
    /// All its bytes are held.
    case finished
    case failed(SourceError)

    /// Whether it has ended, so that only the user can start it again.
    package var isOver: Bool {
        switch self {
        case .finished, .failed: true
        case .queued, .running, .paused, .waiting: false
        }
    }
}

/// A download in a list of the queue.
package struct DownloadStatus: Hashable, Sendable {
    /// The resource's identifier in the cache: 32 hexadecimal digits.
    package var id: String
    /// The resource's source, without a query or a credential.
    package var display: String
    /// The account of its bytes, as lists of the cache show it.
    package var account: String
    /// The application's data.
    package var context: DownloadContext
    /// The state.
    package var state: DownloadState
    /// How many of its bytes are held.
    package var heldByteCount: Int64
    /// The length of the resource in bytes, if known.
    package var length: Int64?
}

/// The state of the network, and how the queue may use it.
package struct DownloadSettings: Hashable, Sendable {
    /// Whether there is a network.
    package var isConnected = true
    /// Whether traffic on the network costs money.
    package var isExpensive = false
    /// Whether the user wants to save traffic on the network.
    package var isConstrained = false
    /// Whether to download over a network with costs.
    package var allowsExpensive = true
    /// Whether to download although the user wants to save traffic.
    package var allowsConstrained = true
    /// How many downloads run at once; a value below 1 counts as 1.
    package var maximumRunning = 2

    /// Creates settings for a network without costs, and two downloads at once.
    package init() {}

    /// Whether the network may be used.
    var mayFetch: Bool {
        self.isConnected && (self.allowsExpensive || !self.isExpensive)
            && (self.allowsConstrained || !self.isConstrained)
    }
}

/// The user's commands for the queue.
package enum DownloadCommand: Hashable, Sendable {
    /// Adds a download after all others, or makes an existing one run again.
    ///
    /// An empty context leaves the existing one unchanged.
    case add(ResourceKey, context: DownloadContext = .empty, isPinned: Bool)
    case pause(String)
    case resume(String)
    case pauseAll
    case resumeAll
    case move(String, to: Int)
    case remove(String, deletingBytes: Bool)
    /// The application cannot create the medium of a download that waits for its source.
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
                isPinned: try buffer.read()
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
        case .add(let key, let context, let isPinned):
            buffer.write(UInt8(1), key, context, isPinned)
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
