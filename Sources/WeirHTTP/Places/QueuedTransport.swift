// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Bounds how many connections to one host another transport has open, and shares them fairly.
///
/// A request that finds none free waits in a queue, in which the newest and the one that has waited longest come first
/// in turn. While somebody waits, readings whose consumers take no bytes give their connections back, and go on at
/// their byte when bytes are wanted again; so does one that nobody takes bytes from for ten seconds. An origin without
/// ranges cannot be continued so: its readings keep their connections.
public final class QueuedTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let queue: HostQueue

    /// Puts a queue in front of a transport.
    ///
    /// - Parameters:
    ///   - base: sends the requests.
    ///   - connectionsPerHost: how many bodies of one host are open at the same time; at least 1.
    ///   - clock: measures waiting and resting.
    public convenience init(
        _ base: any HTTPTransport,
        connectionsPerHost: Int = 16,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        var limits = HostPlaces.Limits()
        limits.places = max(1, connectionsPerHost)
        self.init(base, limits: limits, clock: clock)
    }

    init(_ base: any HTTPTransport, limits: HostPlaces.Limits, clock: any Clock<Duration>) {
        self.base = base
        self.queue = HostQueue(limits, clock: clock)
    }

    /// How many requests wait for a connection.
    var waitingCount: Int { self.queue.waitingCount }

    /// Waits for a connection, and sends the request.
    ///
    /// - Throws: ``HTTPTransportError``, with `busy` when too many wait already; `CancellationError`, at once, when
    ///   the calling task is cancelled.
    public func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        let host = "\(request.url.scheme.rawValue)://\(request.url.host):\(request.url.port)"
        let connections = self.queue.limits.places
        let place = try await self.queue.place(at: host) { request.whenQueued?(connections) }
        request.whenPlaced?()
        do {
            var response = try await self.base.send(request)
            response.body = PlacedBody(response.body, place)
            response.place = place
            return response
        } catch {
            place.release()
            throw error
        }
    }
}

/// A body that holds a place of its host until it has ended, and tells when its consumer rests.
final class PlacedBody: HTTPBody {
    private let body: any HTTPBody
    private let place: ConnectionPlace

    init(_ body: any HTTPBody, _ place: ConnectionPlace) {
        self.body = body
        self.place = place
        place.rested()
    }

    deinit {
        self.cancel()
    }

    func next() async throws -> ByteMemory? {
        self.place.resumed()
        do {
            guard let memory = try await self.body.next() else {
                self.place.release()
                return nil
            }
            self.place.rested()
            return memory
        } catch {
            self.place.release()
            throw error
        }
    }

    func cancel() {
        self.body.cancel()
        self.place.release()
    }
}

/// One of the connections that a host is allowed, for as long as a request and its body need it.
///
/// Given back with ``release()``, or when the last reference goes.
final class ConnectionPlace: Sendable {
    private let id: HostPlaces.ID
    private let queue: HostQueue
    /// How the holder is asked when its bytes are wanted; `nil` while it cannot give its place back.
    private let asker = Mutex<(@Sendable (_ isInUse: Bool) -> Bool)?>(nil)

    init(_ id: HostPlaces.ID, _ queue: HostQueue) {
        self.id = id
        self.queue = queue
    }

    deinit {
        self.queue.release(self.id)
    }

    /// Gives the place back; any number of times.
    func release() {
        self.queue.release(self.id)
    }

    /// The holder can go on at its byte over another connection.
    ///
    /// - Parameter asker: asks for the place, from any thread, also while bytes are awaited (`isInUse`); releases it
    ///   and returns `true`, or returns `false`.
    func yields(_ asker: @escaping @Sendable (_ isInUse: Bool) -> Bool) {
        self.asker.withLock { $0 = asker }
        self.queue.yields(self.id, asker: asker)
    }

    /// The consumer has a piece and asks for no more yet.
    func rested() { self.queue.rested(self.id) }

    /// The consumer asks for more.
    func resumed() { self.queue.resumed(self.id) }

    /// Nobody wants the bytes any more.
    ///
    /// - Parameter giveWay: called, at most once, when another request to the host comes.
    func abandoned(_ giveWay: @escaping @Sendable () -> Void) {
        self.queue.abandoned(self.id) { _ in
            giveWay()
            return true
        }
    }

    /// Somebody wants the bytes after all.
    func reclaimed() {
        self.queue.reclaimed(self.id, asker: self.asker.withLock { $0 })
    }
}
