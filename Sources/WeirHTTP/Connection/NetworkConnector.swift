// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Network)
import Dispatch
import Foundation
import Network
import Synchronization
import WeirSource

/// Opens connections with Network.framework, which App Transport Security does not check.
///
/// Radio stations often offer only plain HTTP, and URLSession cannot read the responses of old servers. The proxy
/// of an ``Endpoint`` is ignored: the system has its own proxy settings.
package struct NetworkConnector: Connector {
    /// Which networks may be used, and the time limit for opening a connection.
    private let settings: NetworkSettings

    /// - Parameter settings: the networks that the user allows, and the time limit.
    package init(_ settings: NetworkSettings = NetworkSettings()) {
        self.settings = settings
    }

    /// Opens a connection, TLS included; fails instead of waiting for a network.
    package func connect(to endpoint: Endpoint) async throws -> any ByteConnection {
        guard let number = UInt16(exactly: endpoint.port),
            let port = NWEndpoint.Port(rawValue: number)
        else { throw HTTPTransportError(.unreachable, "no port \(endpoint.port)") }
        let options = NWProtocolTCP.Options()
        options.noDelay = true
        let parameters = NWParameters(
            tls: endpoint.isSecure ? NWProtocolTLS.Options() : nil,
            tcp: options
        )
        if !self.settings.allowsCellularAccess { parameters.prohibitedInterfaceTypes = [.cellular] }
        parameters.prohibitExpensivePaths = !self.settings.allowsExpensiveAccess
        parameters.prohibitConstrainedPaths = !self.settings.allowsConstrainedAccess
        let connection = NetworkConnection(
            NWConnection(host: NWEndpoint.Host(endpoint.host), port: port, using: parameters)
        )
        try await connection.start(within: self.settings.timeLimit)
        return connection
    }
}

/// A connection of Network.framework.
final class NetworkConnection: ByteConnection {
    private typealias Machine = ReceivingMachine<CheckedContinuation<ByteMemory?, any Error>>

    private struct State {
        var machine = Machine()
        var expired: (@Sendable () -> Void)?
        /// Waits until the connection is open.
        var starter: CheckedContinuation<Void, any Error>?
        /// Why the connection failed, if that is known before a caller waits.
        var failure: (any Error)?
        /// Counts the rests, so that the timer of an earlier rest does not end a later one.
        var rests = 0
    }

    /// The largest number of bytes of one read; a station sends about a kilobyte at a time.
    private static let receivedAtOnce = 64 << 10

    private let connection: NWConnection
    private let queue = DispatchQueue(label: "weir.network.connection")
    private let state = Mutex(State())

    init(_ connection: NWConnection) {
        self.connection = connection
    }

    deinit {
        self.connection.forceCancel()
    }

    /// Returns when the connection is open.
    func start(within time: Duration) async throws {
        self.connection.stateUpdateHandler = { [weak self] state in self?.changed(to: state) }
        self.queue.asyncAfter(deadline: .now() + time.interval) { [weak self] in
            self?.started(
                .failure(HTTPTransportError(.connectTimedOut, "no connection in time")),
                isLate: true
            )
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let failure = self.state.withLock { state in
                    if state.failure == nil { state.starter = continuation }
                    return state.failure
                }
                if let failure {
                    continuation.resume(throwing: failure)
                } else {
                    self.connection.start(queue: self.queue)
                }
            }
        } onCancel: {
            self.started(.failure(CancellationError()))
        }
    }

    private func changed(to state: NWConnection.State) {
        switch state {
        case .ready:
            self.started(.success(()))
        case .waiting(let error):
            // Fails now: the connection would wait for a network, and the caller decides about retries.
            let isLocal = self.connection.currentPath?.unsatisfiedReason == .localNetworkDenied
            self.failed(isLocal ? .localNetworkDenied : HTTPTransportError(network: error))
        case .failed(let error):
            self.failed(HTTPTransportError(network: error))
        case .cancelled:
            self.failed(.closed)
        default:
            break
        }
    }

    private func failed(_ error: HTTPTransportError) {
        self.started(.failure(error))
        self.perform { $0.ended(.failure(error)) }
    }

    /// Records that the connection is open or has failed; only the first result counts.
    private func started(_ result: Result<Void, any Error>, isLate: Bool = false) {
        let starter = self.state.withLock { state in
            if case .failure(let error) = result, !isLate || state.starter != nil {
                state.failure = state.failure ?? error
            }
            return state.starter.take()
        }
        starter?.resume(with: result)
        if starter != nil, case .failure = result { self.connection.forceCancel() }
    }

    func send(_ bytes: [UInt8], sent: (@Sendable () -> Void)?) {
        self.connection.send(
            content: Data(bytes),
            completion: .contentProcessed { error in
                if error == nil { sent?() }
            }
        )
    }

    func receive(readsAhead: Bool) async throws -> ByteMemory? {
        try await withCheckedThrowingContinuation { continuation in
            self.perform { $0.pulled(continuation, readsAhead: readsAhead) }
        }
    }

    func rest(for time: Duration, expired: @escaping @Sendable () -> Void) {
        let number = self.state.withLock { state in
            state.expired = expired
            state.rests += 1
            return state.rests
        }
        self.queue.asyncAfter(deadline: .now() + time.interval) { [weak self] in
            guard let self, self.state.withLock({ $0.rests == number && $0.expired != nil }) else {
                return
            }
            self.perform { $0.ended(.success(())) }
        }
        self.perform { $0.rested() }
    }

    func wake() -> Bool {
        self.state.withLock { state in
            state.expired = nil
            return state.machine.woken()
        }
    }

    func close(resetting: Bool) {
        self.state.withLock { $0.expired = nil }
        self.perform { $0.closed() }
        if resetting { self.connection.forceCancel() } else { self.connection.cancel() }
    }

    /// Returns at once: the system closes a cancelled connection soon.
    func closed() async {}

    private func perform(_ event: (inout Machine) -> Machine.Effects) {
        let (effects, expired) = self.state.withLock { state in
            let effects = event(&state.machine)
            return (effects, effects.expires ? state.expired.take() : nil)
        }
        if effects.reads { self.read() }
        if let (continuation, result) = effects.waiter {
            continuation.resume(with: result.mapError { $0 })
        }
        expired?()
    }

    private func read() {
        self.connection.receive(
            minimumIncompleteLength: 1,
            maximumLength: Self.receivedAtOnce
        ) { [weak self] data, _, isComplete, error in
            guard let self else { return }
            if let data, !data.isEmpty {
                self.perform { $0.received(ByteMemory(copying: data)) }
            }
            if let error {
                self.perform { $0.ended(.failure(HTTPTransportError(network: error))) }
            } else if isComplete {
                self.perform { $0.ended(.success(())) }
            }
        }
    }
}

extension HTTPTransportError {
    /// Maps an error of Network.framework.
    fileprivate init(network error: NWError) {
        self =
            switch error {
            case .dns:
                Self(.unreachable, "its name is not known", cause: error)
            case .tls:
                Self(.insecure, "the TLS handshake failed", cause: error)
            case .posix(.ECONNREFUSED):
                Self(.unreachable, "connection refused", cause: error)
            case .posix(.ENETUNREACH), .posix(.EHOSTUNREACH), .posix(.ENETDOWN), .posix(.EHOSTDOWN):
                Self(.unreachable, "no route to it", cause: error)
            case .posix(.ETIMEDOUT):
                Self(.connectTimedOut, "no connection in time", cause: error)
            default:
                Self(.connectionLost, "the connection failed", cause: error)
            }
    }

    /// The error for a system that denies the application access to the local network.
    fileprivate static let localNetworkDenied = HTTPTransportError(
        .unreachable,
        "the system denies the application access to the local network; its Info.plist needs"
            + " NSLocalNetworkUsageDescription, and the user's consent"
    )
}

extension Duration {
    /// The duration in seconds, as Dispatch expects it.
    fileprivate var interval: Double {
        Double(self.components.seconds) + Double(self.components.attoseconds) / 1e18
    }
}
#endif
