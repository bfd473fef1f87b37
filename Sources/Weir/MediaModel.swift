// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Observation
public import WeirSource

/// A medium as views watch it: which bytes are held and whether more are on their way, on the main actor, observed as
/// `@Observable` types are.
///
///     @State private var model = MediaModel(song)
///     ProgressView(value: model.fraction)
///     if let failure = model.failure { Text(failure.message) }
///
/// The model keeps its medium. It follows the medium until it is dropped; the medium and its readers go on then. To make
/// one opens the bytes that are held from earlier, and asks no origin. `PlayerModel` of `WeirPlayer` is the same for a
/// player.
@MainActor
@Observable
public final class MediaModel {
    /// What a medium is doing.
    public enum State: Hashable, Sendable {
        /// Bytes are missing, and this process fetches none; another process that uses the same cache may.
        case idle
        /// Bytes are on their way from the origin.
        case fetching
        /// Every byte is held.
        case complete
        /// The last request to the origin failed, and none has succeeded since: ``MediaModel/failure`` says why.
        ///
        /// What is held plays all the same, and the next reading tries again.
        case failed
        /// The medium was closed; the library makes a new one when it is asked for the resource again.
        case closed
    }

    /// The medium.
    public let media: Media
    /// The held bytes, and the length once it is known; nothing is ever held of a file of this machine.
    public private(set) var availability: Availability
    private var activity = MediaActivity()

    @ObservationIgnored private var following: [Task<Void, Never>] = []

    /// Watches a medium.
    public init(_ media: Media) {
        self.media = media
        self.availability = media.availability
        let (changes, events) = (media.availabilityChanges(), media.events())
        // Owned by the model, which cancels them when it is dropped; they end by themselves when the medium is closed.
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

    /// What the medium is doing.
    public var state: State {
        if self.activity.isClosed { return .closed }
        if self.availability.isComplete { return .complete }
        if self.activity.isFetching { return .fetching }
        return self.activity.failure == nil ? .idle : .failed
    }

    /// The held ranges.
    public var held: RangeSet<Int64> { self.availability.held }

    /// How much of the medium is held, from 0 to 1; `nil` while the length is unknown.
    public var fraction: Double? { self.availability.fraction }

    /// Why the last request to the origin failed; `nil` if none failed since one succeeded, or if every byte is held.
    public var failure: SourceError? {
        self.availability.isComplete ? nil : self.activity.failure
    }
}

/// What the events of a medium say: which transfers are under way, and whether the last request failed.
struct MediaActivity: Sendable {
    /// Why the last request failed; `nil` if none failed since an origin answered.
    private(set) var failure: SourceError?
    /// Whether the medium was closed.
    var isClosed = false

    /// The transfers that are under way, by number.
    private var transfers: Set<Int> = []
    /// The last transfers that ended: a late report of their progress does not begin them again.
    private var ended: [Int] = []

    /// Whether bytes are on their way.
    var isFetching: Bool { !self.transfers.isEmpty }

    /// Takes an event in.
    mutating func handle(_ event: MediaEvent) {
        switch event {
        case .transferStarted(let transfer):
            self.transfers.insert(transfer.number)
            self.failure = nil
        case .transferProgressed(let transfer):
            // One that began before the first event.
            if !self.ended.contains(transfer.number) { self.transfers.insert(transfer.number) }
        case .transferFinished(let transfer), .transferLeft(let transfer):
            self.end(transfer)
        case .transferFailed(let transfer, let error):
            if let transfer { self.end(transfer) }
            self.failure = error
        case .missed:
            // The end of a transfer may be among the lost events. One that still runs is reported again.
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
