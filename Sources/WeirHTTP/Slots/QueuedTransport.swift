// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Limits the open connections to each host, and the requests per second to some hosts.
///
/// It shares the connections fairly. If no connection is free, a request waits in a queue, in which
/// the clients take turns. Of one client's requests, the newest and the one that has waited longest
/// come in turn.
///
/// While a request waits, readings whose consumers pull no bytes give their connections back. A
/// reading whose consumer pulls no bytes for ten seconds gives its connection back even if no
/// request waits. These readings continue at their byte when the consumer pulls again. Readings of
/// an origin without ranges cannot continue this way, so they keep their connections.
package final class QueuedTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let queue: HostQueue
    private let ceilings: RequestCeilings?

    /// Puts a queue in front of a transport.
    ///
    /// - Parameters:
    ///   - base: sends the requests.
    ///   - connectionsPerHost: how many bodies of one host may be open at the same time; at least
    ///     1.
    ///   - requestsPerSecond: limits of requests per second by the name of a host. Requests to
    ///     hosts below that name count in the same limit.
    ///   - clock: measures waits and rests.
    package convenience init(
        _ base: any HTTPTransport,
        connectionsPerHost: Int = 16,
        requestsPerSecond: [String: Int] = [:],
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        var limits = HostSlots.Limits()
        limits.slots = max(1, connectionsPerHost)
        self.init(base, limits: limits, requestsPerSecond: requestsPerSecond, clock: clock)
    }

    init(
        _ base: any HTTPTransport,
        limits: HostSlots.Limits,
        requestsPerSecond: [String: Int] = [:],
        clock: any Clock<Duration>
    ) {
        self.base = base
        self.ceilings = RequestCeilings(requestsPerSecond, clock: clock)
        self.queue = HostQueue(limits, clock: clock)
    }

    /// How many requests wait for a connection.
    var waitingCount: Int { self.queue.waitingCount }

    /// Waits for a connection, and sends the request.
    ///
    /// - Throws: ``HTTPTransportError``, with `busy` when too many requests already wait;
    ///   `CancellationError`, at once, when the calling task is cancelled.
    package func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        let host = "\(request.url.scheme.rawValue)://\(request.url.host):\(request.url.port)"
        let connections = self.queue.limits.slots
        let slot = try await self.queue.slot(at: host) { request.whenQueued?(connections) }
        request.whenGranted?()
        do {
            // The rate limit comes after the wait for a connection, so that requests that waited
            // together are not sent together.
            try await ceilings?.pass(request.url.host) { request.whenHeld?() }
            request.whenGranted?()
            var response = try await self.base.send(request)
            response.body = SlotBody(response.body, slot)
            response.slot = slot
            return response
        } catch {
            slot.release()
            throw error
        }
    }
}

/// A body that holds a slot of its host until it has ended, and reports when its consumer rests.
final class SlotBody: HTTPBody {
    private let body: any HTTPBody
    private let slot: ConnectionSlot

    init(_ body: any HTTPBody, _ slot: ConnectionSlot) {
        self.body = body
        self.slot = slot
        slot.rested()
    }

    deinit {
        self.cancel()
    }

    func next() async throws -> ByteMemory? {
        self.slot.resumed()
        do {
            guard let memory = try await self.body.next() else {
                self.slot.release()
                return nil
            }
            self.slot.rested()
            return memory
        } catch {
            self.slot.release()
            throw error
        }
    }

    func cancel() {
        self.body.cancel()
        self.slot.release()
    }
}
