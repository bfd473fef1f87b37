// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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
