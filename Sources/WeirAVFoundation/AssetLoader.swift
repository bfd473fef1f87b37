// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import Dispatch
package import WeirSource

/// Performs the effects of a ``LoadingRequestServer`` for one asset: reads the source and answers
/// the player.
///
/// It runs on the queue on which the player calls it. Readings run elsewhere, because they may wait
/// for a disk. ``close()`` ends everything.
package actor AssetLoader {
    /// The queue on which requests arrive and are answered.
    package nonisolated let queue: DelegateQueue
    private nonisolated let feed = Broadcast<MediaAssetEvent>()

    private let source: any ByteSource
    private let clock: any Clock<Duration>
    private var server: LoadingRequestServer
    private var requests: [LoadingRequestServer.RequestID: any PlayerRequest] = [:]
    private var lastRequest = 0
    private var readings: [LoadingRequestServer.ReadID: AssetReading] = [:]
    private var waits: [LoadingRequestServer.WaitID: Task<Void, Never>] = [:]
    private var preparations: [CheckedContinuation<ResourceDescription, any Error>] = []
    private let meter = ReleaseMeter()
    private var watches: [Task<Void, Never>] = []
    private var isClosed = false

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        self.queue.asUnownedSerialExecutor()
    }

    /// Makes a loader, which reads nothing yet.
    package init(
        _ source: any ByteSource,
        queue: DelegateQueue,
        limits: LoadingRequestServer.Limits = LoadingRequestServer.Limits(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.source = source
        self.queue = queue
        self.server = LoadingRequestServer(limits: limits)
        self.clock = clock
    }

    /// The events of the medium from now on, until the asset is deallocated.
    package nonisolated func events() -> AsyncStream<MediaAssetEvent> { self.feed.events() }

    /// Reads the first bytes, and returns when they have shown the description of the resource.
    ///
    /// The loader answers the player's first request with these bytes.
    ///
    /// - Returns: the resource.
    /// - Throws: as the source does.
    package func prepare() async throws -> ResourceDescription {
        if self.isClosed { throw CancellationError() }
        if self.server.isClosed { throw SourceError.changedWhileOpened }
        if let known = self.server.description { return known }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.preparations.append(continuation)
                self.handle(.prepared)
            }
        } onCancel: {
            // Has no owner, since a cancellation cannot wait; ends at once.
            Task { await self.close() }
        }
    }

    // MARK: The player

    /// The player made a request.
    package func add(_ request: any PlayerRequest) {
        self.watch()
        self.handle(.held(self.source.availability))
        self.lastRequest += 1
        let id = LoadingRequestServer.RequestID(self.lastRequest)
        self.requests[id] = request
        self.handle(.requested(request.described(as: id)))
    }

    /// The player has cancelled a request.
    ///
    /// - Parameter isCancelled: whether a request is the cancelled one.
    package func cancel(where isCancelled: (any PlayerRequest) -> Bool) {
        guard let id = self.requests.first(where: { isCancelled($0.value) })?.key else { return }
        self.requests[id] = nil
        self.handle(.cancelled(id))
    }

    /// Ends everything, because the asset is deallocated.
    package func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        self.handle(.abandoned)
        for wait in self.waits.values { wait.cancel() }
        for watch in self.watches { watch.cancel() }
        for reading in self.readings.values { reading.end() }
        self.waits = [:]
        self.watches = []
        self.readings = [:]
        self.meter.finish()
        self.feed.finish()
        self.resumePreparations(.failure(CancellationError()))
    }

    // MARK: Effects

    private func handle(_ event: LoadingRequestServer.Event) {
        for effect in self.server.handle(event) { self.perform(effect) }
        if let description = self.server.description {
            self.resumePreparations(.success(description))
        }
    }

    private func perform(_ effect: LoadingRequestServer.Effect) {
        switch effect {
        case .read(let id, let demand):
            self.readings[id] = AssetReading(id, demand, of: self.source, for: self)
        case .pull(let id, let count):
            self.readings[id]?.pull(count)
        case .drop(let id):
            self.readings.removeValue(forKey: id)?.end()
        case .fill(let id, let information):
            self.requests[id]?.fill(information)
        case .respond(let id, let bytes):
            let count = bytes.count
            self.requests[id]?.respond(with: bytes) { [meter] in meter.released(id, count) }
        case .finish(let id):
            self.requests.removeValue(forKey: id)?.finish()
        case .fail(let id, let failure):
            self.requests.removeValue(forKey: id)?.finish(with: failure)
        case .wait(let id, let duration):
            self.wait(id, duration)
        case .tell(let event):
            self.tell(event)
        }
    }

    private func tell(_ event: MediaAssetEvent) {
        self.feed.tell(event)
        switch event {
        case .loadedWhole, .missed: break
        case .failed(let error): self.resumePreparations(.failure(error))
        case .sourceChanged:
            self.resumePreparations(.failure(SourceError.changedWhileOpened))
        }
    }

    private func resumePreparations(_ result: Result<ResourceDescription, any Error>) {
        for continuation in self.preparations { continuation.resume(with: result) }
        self.preparations = []
    }

    // MARK: Results

    /// Handles the event of a reading.
    func heard(_ event: LoadingRequestServer.Event, from id: LoadingRequestServer.ReadID) {
        guard self.readings[id] != nil else { return }
        switch event {
        // Once a reading is open, the source reports its held bytes. The server gets them before it
        // sends the description, which says whether every byte is held.
        case .opened: self.handle(.held(self.source.availability))
        case .ended, .failed: self.readings[id] = nil
        default: break
        }
        self.handle(event)
    }

    private func wait(_ id: LoadingRequestServer.WaitID, _ duration: Duration) {
        // Owned by the loader, which cancels it when it is closed; ends after its duration.
        self.waits[id] = Task { [clock, weak self] in
            guard (try? await clock.sleep(for: duration)) != nil else { return }
            await self?.waited(id)
        }
    }

    private func waited(_ id: LoadingRequestServer.WaitID) {
        guard self.waits.removeValue(forKey: id) != nil else { return }
        self.handle(.waited(id))
    }

    /// Watches, from the first request on, the bytes that the player releases and the availability
    /// of the source.
    private func watch() {
        guard self.watches.isEmpty, !self.isClosed else { return }
        // Owned by the loader, which cancels them when it is closed.
        self.watches = [
            Task { [meter, weak self] in
                for await _ in meter.signals { await self?.released(meter.take()) }
            },
            Task { [source, weak self] in
                for await availability in source.availabilityChanges() where availability.isComplete
                {
                    await self?.held(availability)
                    return
                }
            },
        ]
    }

    private func released(_ counts: [LoadingRequestServer.RequestID: Int]) {
        for (id, count) in counts { self.handle(.released(id, count)) }
    }

    private func held(_ availability: Availability) {
        guard !self.isClosed, availability.isComplete else { return }
        self.handle(.held(availability))
    }
}

extension SourceError {
    /// Two responses in a row were of different versions.
    fileprivate static let changedWhileOpened = SourceError(
        .changed,
        "The medium changed while it was opened; play it again to get the new one."
    )
}

/// A loading request of a media system; the loader uses nothing else of a player.
///
/// Used only on the loader's queue.
package protocol PlayerRequest: AnyObject {
    /// The request as a value.
    ///
    /// - Parameter id: the identifier for the request.
    /// - Returns: the request, as it was made.
    func described(as id: LoadingRequestServer.RequestID) -> LoadingRequestServer.Request
    /// Gives the player the description of the resource.
    func fill(_ information: ContentInformation)
    /// Gives the player its next bytes.
    ///
    /// - Parameters:
    ///   - bytes: never empty.
    ///   - released: to be called once, from any thread, when the player has released the bytes.
    func respond(with bytes: ByteMemory, released: @escaping @Sendable () -> Void)
    /// Ends the request: the player has received everything.
    func finish()
    /// Ends the request: the player cannot receive everything.
    func finish(with failure: LoadingFailure)
}

/// A serial queue that is the executor of an actor.
///
/// A framework's callback on ``queue`` is already in the actor: it enters the actor with
/// `assumeIsolated`, without a change of threads.
package final class DelegateQueue: SerialExecutor {
    /// The queue; pass it to the framework that calls back.
    package let queue: DispatchQueue

    /// Makes a queue.
    package init(label: String) {
        self.queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Traps unless the caller is on the queue.
    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(self.queue))
    }
}
