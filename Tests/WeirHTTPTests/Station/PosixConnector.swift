// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import WeirSource

@testable import WeirHTTP

/// Makes connections of plain sockets, without SwiftNIO and without TLS.
///
/// The connections of Network.framework use the same protocol and the same machine, but Linux does not have that
/// framework. These connections show that the protocol is enough.
struct PosixConnector: Connector {
    func connect(to endpoint: Endpoint) async throws -> any ByteConnection {
        guard !endpoint.isSecure else { throw HTTPTransportError(.notTLS, "no TLS here") }
        let (host, port) = (endpoint.host, UInt16(endpoint.port))
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try PosixConnection(to: host, port: port) })
            }
        }
    }
}

/// A connection of a plain socket: one queue reads and blocks, another queue writes.
private final class PosixConnection: ByteConnection {
    private typealias Machine = ReceivingMachine<CheckedContinuation<ByteMemory?, any Error>>

    private struct State {
        var machine = Machine()
        var expired: (@Sendable () -> Void)?
        var isClosed = false
    }

    #if canImport(Darwin)
    private static let stream = SOCK_STREAM
    #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #endif

    private let descriptor: Int32
    private let reads = DispatchQueue(label: "posix.reads")
    private let writes = DispatchQueue(label: "posix.writes")
    private let state = Mutex(State())

    init(to host: String, port: UInt16) throws {
        let descriptor = socket(AF_INET, Self.stream, 0)
        var numbers = [UInt8](repeating: 0, count: 4)
        guard descriptor >= 0, inet_pton(AF_INET, host, &numbers) == 1 else {
            throw HTTPTransportError(.unreachable, "no socket for \(host)")
        }
        // A sockaddr_in: the family, the port in network order, the address, and eight zero bytes.
        #if canImport(Darwin)
        let family = [16, UInt8(AF_INET)]
        #else
        let family = [UInt8(AF_INET), 0]
        #endif
        let bytes = family + [UInt8(port >> 8), UInt8(port & 0xFF)] + numbers
        let address = bytes + [UInt8](repeating: 0, count: 8)
        let result = address.withUnsafeBytes { address in
            address.withMemoryRebound(to: sockaddr.self) {
                Foundation.connect(descriptor, $0.baseAddress, socklen_t(address.count))
            }
        }
        self.descriptor = descriptor
        guard result == 0 else { throw HTTPTransportError(.unreachable, "connection refused") }
    }

    deinit {
        Foundation.close(self.descriptor)
    }

    func send(_ bytes: [UInt8], sent: (@Sendable () -> Void)?) {
        self.writes.async { [self] in
            var offset = 0
            while offset < bytes.count {
                let count = bytes[offset...].withUnsafeBytes {
                    Foundation.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                offset += count
            }
            sent?()
        }
    }

    func receive(readsAhead: Bool) async throws -> ByteMemory? {
        try await withCheckedThrowingContinuation { continuation in
            self.perform { $0.pulled(continuation, readsAhead: readsAhead) }
        }
    }

    /// This connection has no timer for its rest; `time` has no effect.
    func rest(for time: Duration, expired: @escaping @Sendable () -> Void) {
        self.state.withLock { $0.expired = expired }
        self.perform { $0.rested() }
    }

    func wake() -> Bool {
        self.state.withLock { state in
            state.expired = nil
            return state.machine.woken()
        }
    }

    func close(resetting: Bool) {
        let isFirst = self.state.withLock { state in
            defer { (state.isClosed, state.expired) = (true, nil) }
            return !state.isClosed
        }
        self.perform { $0.closed() }
        guard isFirst else { return }
        if resetting {
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                self.descriptor,
                SOL_SOCKET,
                SO_LINGER,
                &now,
                socklen_t(MemoryLayout<linger>.size)
            )
        }
        // A waiting read returns. The descriptor closes when nothing uses the connection any more.
        shutdown(self.descriptor, Int32(SHUT_RDWR))
    }

    func closed() async {}

    private func perform(_ event: (inout Machine) -> Machine.Effects) {
        let (effects, expired) = self.state.withLock { state in
            let effects = event(&state.machine)
            return (effects, effects.expires ? state.expired.take() : nil)
        }
        if effects.reads { self.reads.async { self.read() } }
        if let (continuation, result) = effects.waiter {
            continuation.resume(with: result.mapError { $0 })
        }
        expired?()
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(self.descriptor, &buffer, buffer.count, 0)
        if count > 0 {
            let memory = ByteMemory(Array(buffer[..<count]))
            self.perform { $0.received(memory) }
        } else if count == 0 {
            self.perform { $0.ended(.success(())) }
        } else {
            let error = HTTPTransportError(.connectionLost, "the connection failed")
            self.perform { $0.ended(.failure(error)) }
        }
    }
}
