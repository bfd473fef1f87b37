// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSharing
public import WeirSource

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A download of a ``DownloadQueue``, at one moment.
public struct Download: Hashable, Sendable, Identifiable {
    /// What a download is doing.
    public enum State: Hashable, Sendable {
        /// It runs when those before it leave room.
        case queued
        /// Its missing bytes are being fetched.
        case running
        /// It waits until it is resumed.
        case paused
        /// It goes on by itself when what it waits for is there.
        case waiting(Wait)
        /// All of it is held.
        case finished
        /// Trying again by itself would not help; ``DownloadQueue/resume(_:)`` tries again.
        ///
        /// A `CacheError` becomes one with the code `cacheFailed`; an error of any other type, one with the code `failed`.
        /// The error is stored without its cause, which only the process that met it knows until it ends.
        case failed(SourceError)
    }

    /// What a download waits for.
    public enum Wait: Hashable, Sendable {
        /// A network that may be used, or an origin that fails for the moment; it is asked again after a pause.
        case network
        /// The medium: nothing in this process or another has opened it since the library was opened.
        ///
        /// Headers and tokens are not stored. Ask the library for the medium again, or hand over a closure that does:
        /// ``DownloadQueue/resolve(_:)``.
        case source
        /// Room in the cache's file system.
        case space
    }

    /// What the cache calls the medium, as ``Media/identifier``: 32 hexadecimal digits.
    public var id: String
    /// Where the medium comes from, as ``Media/display``; no query and no credential is in it.
    public var display: String
    /// The account that the medium belongs to, as `CachedResource.account`.
    public var account: String
    /// What the application stored with it (``DownloadQueue/add(_:context:isPinned:)``); empty if nothing.
    public var context: Data
    /// What the download is doing.
    public var state: State
    /// How many bytes of the medium are held, whoever fetched them.
    public var heldByteCount: Int64
    /// How many bytes the medium has, once that is known.
    public var length: Int64?

    /// Describes a download.
    public init(
        id: String,
        display: String,
        account: String = "",
        context: Data = Data(),
        state: State,
        heldByteCount: Int64,
        length: Int64?
    ) {
        self.id = id
        self.display = display
        self.account = account
        self.context = context
        self.state = state
        self.heldByteCount = heldByteCount
        self.length = length
    }

    /// Whether it has come to an end, good or bad: nothing happens until it is resumed or added again.
    public var isOver: Bool {
        switch self.state {
        case .finished, .failed: true
        case .queued, .running, .paused, .waiting: false
        }
    }

    /// How much of the medium is held, from 0 to 1; `nil` while its length is not known.
    public var fraction: Double? {
        guard let length, length > 0 else { return self.state == .finished ? 1 : nil }
        return min(1, Double(self.heldByteCount) / Double(length))
    }
}

/// How a download ended.
public enum DownloadEvent: Hashable, Sendable {
    /// All of it is held.
    case finished(Download)
    /// It was given up; the reason is in its state, too.
    case failed(Download, SourceError)
}

/// What the network is, as the application has it from the system.
public struct DownloadConditions: Hashable, Sendable {
    /// Whether there is a network.
    public var isConnected: Bool
    /// Whether its bytes cost, as those of a cellular network.
    public var isExpensive: Bool
    /// Whether the user wants few bytes to go over it.
    public var isConstrained: Bool

    /// Describes a network; without arguments one that may be used freely.
    public init(isConnected: Bool = true, isExpensive: Bool = false, isConstrained: Bool = false) {
        self.isConnected = isConnected
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }
}

/// What a queue may use.
public struct DownloadPolicy: Hashable, Sendable {
    /// Whether to download over a network whose bytes cost.
    public var allowsExpensive: Bool
    /// Whether to download although the user wants few bytes to go over the network.
    public var allowsConstrained: Bool
    /// How many downloads run at once; less than 1 is taken for 1.
    public var maximumRunning: Int

    /// Makes a policy; the default uses any network for two downloads at once.
    public init(
        allowsExpensive: Bool = true,
        allowsConstrained: Bool = true,
        maximumRunning: Int = 2
    ) {
        self.allowsExpensive = allowsExpensive
        self.allowsConstrained = allowsConstrained
        self.maximumRunning = maximumRunning
    }
}

extension Download {
    init(_ status: DownloadStatus) {
        let state: State =
            switch status.state {
            case .queued: .queued
            case .running: .running
            case .paused: .paused
            case .waiting(.network): .waiting(.network)
            case .waiting(.source): .waiting(.source)
            case .waiting(.space): .waiting(.space)
            case .finished: .finished
            case .failed(let failure): .failed(failure)
            }
        self.init(
            id: status.id,
            display: status.display,
            account: status.account,
            context: Data(status.context.bytes),
            state: state,
            heldByteCount: status.heldByteCount,
            length: status.length
        )
    }
}
