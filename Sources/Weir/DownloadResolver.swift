// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSharing
import WeirSource

/// Asks the application's closure for the media of downloads; performs the effects of ``ResolverMachine``.
final class DownloadResolver: Sendable {
    typealias Machine = ResolverMachine
    /// Makes the medium of a download; returns `nil` if the application has none.
    typealias Closure = @Sendable (Download) async throws -> Media?

    /// Takes the medium that the closure has made for a download, or the closure's error.
    typealias Taker = @Sendable (Download.ID, Result<Media, SourceError>) async -> Void

    private struct Asking {
        let number: Int
        let call: Task<Void, Never>
        let delay: Task<Void, Never>

        func cancel() {
            self.call.cancel()
            self.delay.cancel()
        }
    }

    private struct Work {
        var closure: Closure?
        var taker: Taker?
        var askings: [Download.ID: Asking] = [:]
    }

    private let machine = EffectQueue<Machine, Machine.Effect>(Machine())
    private let work = Mutex(Work())
    private let timeline: Timeline

    /// - Parameter timeline: measures how long a call takes.
    init(timeline: Timeline = Timeline(ContinuousClock())) {
        self.timeline = timeline
    }

    deinit { for asking in self.work.withLock({ $0.askings }).values { asking.cancel() } }

    /// Calls a closure from now on, in place of the previous one.
    func use(_ closure: @escaping Closure, taker: @escaping Taker) {
        self.work.withLock { ($0.closure, $0.taker) = (closure, taker) }
        self.report(.closureSet)
    }

    /// Makes no more calls, and cancels the running ones without waiting for them.
    func close() {
        self.report(.closed)
        self.work.withLock { ($0.closure, $0.taker) = (nil, nil) }
    }

    /// The number of the last call.
    var lastNumber: Int { self.machine.withState { $0.lastNumber } }

    /// Reports an event to the machine, and performs the effects.
    func report(_ event: Machine.Event) {
        self.machine.decide(performing: { self.perform($0) }, { $1 += $0.handle(event) })
    }

    private func perform(_ effect: Machine.Effect) {
        switch effect {
        case .ask(let download, let number): self.ask(download, number)
        case .cancel(let id):
            self.work.withLock { $0.askings.removeValue(forKey: id) }?.cancel()
        }
    }

    private func ask(_ download: Download, _ number: Int) {
        let id = download.id
        self.work.withLock { work in
            guard let closure = work.closure, let taker = work.taker else { return }
            // This object owns both tasks. It cancels them when the machine cancels the call or the queue is
            // closed. This task ends when the closure returns, which may never happen.
            let call = Task { [weak self] in
                let result = await Self.result(of: closure, download)
                guard self?.isRunning(id, number) == true else { return }
                switch result {
                case .success(let media)?:
                    await taker(id, .success(media))
                    self?.returned(id, number, hasMedium: true)
                case nil: self?.returned(id, number, hasMedium: false)
                case .failure(let error)?:
                    // A caller who sees the failure may resume the download at once, so the call must be over by
                    // then.
                    self?.returned(id, number, hasMedium: false)
                    if self?.isRunning(id) == false { await taker(id, .failure(error)) }
                }
            }
            // Ends when the time is over, or when the closure returns.
            let delay = Task { [weak self, timeline] in
                guard (try? await timeline.sleep(Machine.patience)) != nil else { return }
                self?.report(.delayed(id, asking: number))
            }
            work.askings[id] = Asking(number: number, call: call, delay: delay)
        }
    }

    /// Calls the closure, and checks the medium that it returns.
    ///
    /// - Returns: `nil` if the application has no medium for the download, or if the closure was cancelled.
    private static func result(
        of closure: Closure,
        _ download: Download
    ) async -> Result<Media, SourceError>? {
        do {
            guard let media = try await closure(download) else { return nil }
            guard media.identifier == download.id else {
                return .failure(
                    SourceError(
                        .invalidRequest,
                        "The closure of resolve(_:) returned \(media.display) for the download of \(download.display),"
                            + " which is another medium; create the medium with the address and the account of the"
                            + " download."
                    )
                )
            }
            return .success(media)
        } catch is CancellationError {
            return nil
        } catch {
            let attempt = "make the medium of the download of \(download.display)"
            return .failure(SourceError(ofDownload: error, attempt: attempt))
        }
    }

    private func isRunning(_ id: Download.ID) -> Bool {
        self.machine.withState { $0.isRunning(id) }
    }

    private func isRunning(_ id: Download.ID, _ number: Int) -> Bool {
        self.machine.withState { $0.isRunning(id, asking: number) }
    }

    private func returned(_ id: Download.ID, _ number: Int, hasMedium: Bool) {
        let asking = self.work.withLock { work in
            work.askings[id]?.number == number ? work.askings.removeValue(forKey: id) : nil
        }
        asking?.delay.cancel()
        self.report(.returned(id, asking: number, hasMedium: hasMedium))
    }
}
