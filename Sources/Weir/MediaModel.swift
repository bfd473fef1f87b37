// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Observation
public import WeirSource

/// A medium for views, on the main actor: its held bytes, and whether more bytes are arriving.
///
/// It is `@Observable`:
///
///     @State private var model = MediaModel(song)
///     ProgressView(value: model.fraction)
///     if let failure = model.failure { Text(failure.message) }
///
/// The model holds its medium, and follows it until the model is deallocated; the medium and its
/// readers then go on. Making a model opens the bytes held from earlier, and sends no request to
/// the origin. For a player, use `PlayerModel` of `WeirPlayer`.
@MainActor
@Observable
public final class MediaModel {
    /// The state of a medium.
    public enum State: Hashable, Sendable {
        /// Bytes are missing, and this process fetches none; another process that uses the same
        /// cache may.
        case idle
        /// Bytes are arriving from the origin.
        case fetching
        /// Every byte is held.
        case complete
        /// The last request to the origin failed, and none has succeeded since:
        /// ``MediaModel/failure`` says why.
        ///
        /// The held bytes still play, and the next reading tries again.
        case failed
        /// The medium was closed; the library makes a new one when the application asks for the
        /// resource again.
        case closed
    }

    /// The medium.
    public let media: Media
    /// The held bytes, and the length once it is known; for a file of this machine no bytes are
    /// ever held.
    public private(set) var availability: Availability
    private var activity = MediaActivity()

    @ObservationIgnored private var following: [Task<Void, Never>] = []

    /// Watches a medium.
    public init(_ media: Media) {
        self.media = media
        self.availability = media.availability
        let (changes, events) = (media.availabilityChanges(), media.events())
        // Owned by the model, which cancels them when it is deallocated; they also end when the
        // medium is closed.
        self.following = [
            Task { [weak self] in
                await media.openHeld()
                for await availability in changes {
                    guard let self else { return }
                    self.availability = availability
                }
            },
            Task { [weak self] in
                for await event in events {
                    guard let self else { return }
                    self.activity.handle(event)
                }
                if !Task.isCancelled { self?.activity.isClosed = true }
            },
        ]
    }

    deinit {
        for task in self.following { task.cancel() }
    }

    /// The state of the medium.
    public var state: State {
        if self.activity.isClosed { return .closed }
        if self.availability.isComplete { return .complete }
        if self.activity.isFetching { return .fetching }
        return self.activity.failure == nil ? .idle : .failed
    }

    /// The held ranges.
    public var held: RangeSet<Int64> { self.availability.held }

    /// The held part of the medium, from 0 to 1; `nil` while the length is unknown.
    public var fraction: Double? { self.availability.fraction }

    /// Why the last request to the origin failed; `nil` if it succeeded, or if every byte is held.
    public var failure: SourceError? {
        self.availability.isComplete ? nil : self.activity.failure
    }
}

/// The activity of a medium according to its events: running transfers, and the last failure.
struct MediaActivity: Sendable {
    /// Why the last request failed; `nil` if no request has failed since an origin answered.
    private(set) var failure: SourceError?
    /// Whether the medium was closed.
    var isClosed = false

    /// The running transfers, by number.
    private var transfers: Set<Int> = []
    /// The last transfers that ended: a late report of their progress does not begin them again.
    private var ended: [Int] = []

    /// Whether bytes are arriving.
    var isFetching: Bool { !self.transfers.isEmpty }

    /// Handles an event.
    mutating func handle(_ event: MediaEvent) {
        switch event {
        case .transferStarted(let transfer):
            self.transfers.insert(transfer.number)
            self.failure = nil
        case .transferProgressed(let transfer):
            // A transfer that began before the model started to listen.
            if !self.ended.contains(transfer.number) { self.transfers.insert(transfer.number) }
        case .transferFinished(let transfer), .transferLeft(let transfer):
            self.end(transfer)
        case .transferFailed(let transfer, let error):
            if let transfer { self.end(transfer) }
            self.failure = error
        case .missed:
            // The end of a transfer may be among the lost events. A running transfer is reported
            // again.
            self.transfers = []
        case .sourceChanged, .storingForbidden, .refusedThoughHeld, .keySuspected,
            .credentialRefreshed, .cacheDegraded, .cacheRecovered, .downloadsUnreadable:
            break
        }
    }

    private mutating func end(_ transfer: MediaTransfer) {
        self.transfers.remove(transfer.number)
        self.ended.append(transfer.number)
        if self.ended.count > 64 { self.ended.removeFirst(32) }
    }
}
