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
    /// The state of a download.
    public enum State: Hashable, Sendable {
        /// It starts when fewer than ``DownloadPolicy/maximumRunning`` downloads run.
        case queued
        /// Its missing bytes are being fetched.
        case running
        /// It waits until it is resumed.
        case paused
        /// It waits for a condition, and continues automatically when the condition is met.
        case waiting(Wait)
        /// The cache holds all of it.
        case finished
        /// It has failed; ``DownloadQueue/resume(_:)`` tries again.
        ///
        /// A `CacheError` becomes an error with the code `cacheFailed`; an error of any other type
        /// gets the code `failed`. The stored error has no cause: only the process in which the
        /// error occurred has the cause, until that process ends.
        case failed(SourceError)
    }

    /// The condition that a download waits for.
    public enum Wait: Hashable, Sendable {
        /// A network that may be used, or an origin that fails at the moment; Weir tries again
        /// after a pause.
        case network
        /// The medium: no process has opened it since the library was opened.
        ///
        /// Headers and tokens are not stored. Ask the library for the medium again, or set a
        /// closure that does this: ``DownloadQueue/resolve(_:)``.
        case source
        /// Free space in the cache's file system.
        case space
    }

    /// The medium's identifier in the cache, as ``Media/identifier``: 32 hexadecimal digits.
    public var id: String
    /// The origin of the medium, as ``Media/display``; without query and credential.
    public var display: String
    /// The account that the medium belongs to, as `CachedResource.account`.
    public var account: String
    /// The context that the application stored with it; empty if it stored none.
    ///
    /// See ``DownloadQueue/add(_:context:isPinned:)``.
    public var context: Data
    /// The state of the download.
    public var state: State
    /// How many bytes of the medium the cache holds, including bytes that players fetched.
    public var heldByteCount: Int64
    /// The length of the medium in bytes, if it is known.
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

    /// Whether it is finished or failed; it stays so until it is resumed or added again.
    public var isOver: Bool {
        switch self.state {
        case .finished, .failed: true
        case .queued, .running, .paused, .waiting: false
        }
    }

    /// The held part of the medium, from 0 to 1; `nil` while the length is unknown.
    public var fraction: Double? {
        guard let length, length > 0 else { return self.state == .finished ? 1 : nil }
        return min(1, Double(self.heldByteCount) / Double(length))
    }
}

/// How a download ended.
public enum DownloadEvent: Hashable, Sendable {
    /// The cache holds all of it.
    case finished(Download)
    /// It failed; its state also has the error.
    case failed(Download, SourceError)
}

/// The state of the network, as the system reports it to the application.
public struct DownloadConditions: Hashable, Sendable {
    /// Whether there is a network.
    public var isConnected: Bool
    /// Whether its bytes cost money, as in a cellular network.
    public var isExpensive: Bool
    /// Whether the user wants low data usage.
    public var isConstrained: Bool

    /// Describes a network; without arguments, a network that may be used freely.
    public init(isConnected: Bool = true, isExpensive: Bool = false, isConstrained: Bool = false) {
        self.isConnected = isConnected
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }
}

/// The networks that a queue may use, and the number of downloads at once.
public struct DownloadPolicy: Hashable, Sendable {
    /// Whether to download over a network whose bytes cost money.
    public var allowsExpensive: Bool
    /// Whether to download although the user wants low data usage.
    public var allowsConstrained: Bool
    /// How many downloads run at once; a value below 1 means 1.
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
