// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Bounds how many connections to one host another transport has open, and shares them fairly; bounds how many requests
/// a second some hosts are sent.
///
/// A request that finds none free waits in a queue, in which turns go round by client; of one client's requests the newest
/// and the one that has waited longest come first in turn. While one waits, readings whose consumers take no bytes give their connections back, and go on at
/// their byte when bytes are wanted again; so does one whose consumer takes no bytes for ten seconds. An origin without
/// ranges cannot be continued so: its readings keep their connections.
package final class QueuedTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let queue: HostQueue
    private let ceilings: RequestCeilings?

    /// Puts a queue in front of a transport.
    ///
    /// - Parameters:
    ///   - base: sends the requests.
    ///   - connectionsPerHost: how many bodies of one host are open at the same time; at least 1.
    ///   - requestsPerSecond: how many requests a second some hosts may be sent, by their names; hosts below such a name
    ///     count in it.
    ///   - clock: measures waiting and resting.
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
    /// - Throws: ``HTTPTransportError``, with `busy` when too many wait already; `CancellationError`, at once, when
    ///   the calling task is cancelled.
    package func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        let host = "\(request.url.scheme.rawValue)://\(request.url.host):\(request.url.port)"
        let connections = self.queue.limits.slots
        let slot = try await self.queue.slot(at: host) { request.whenQueued?(connections) }
        request.whenGranted?()
        do {
            // Behind the wait for a connection: what has waited together must not be sent together.
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

/// A body that holds a slot of its host until it has ended, and tells when its consumer rests.
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
