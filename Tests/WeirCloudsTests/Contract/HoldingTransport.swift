// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirHTTP
import WeirNIOTransport
import WeirSource
import WeirTestKit

/// A real transport that counts the bytes of bodies, and holds a body before a byte until a gate opens.
final class HoldingTransport: HTTPTransport {
    let base: NIOTransport
    let counted = Watched<Int64>(0)
    private let hold: ContractResource.Hold?

    init(hold: ContractResource.Hold?) throws {
        self.base = try NIOTransport(.init(proxies: ProxySettings.none))
        self.hold = hold
    }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        var response = try await self.base.send(request)
        guard request.method == "GET", request.headers.contains("Range"),
            (200..<300).contains(response.status)
        else { return response }
        let start = request.headers["Range"].flatMap { field in
            Int64(field.dropFirst(6).prefix { $0.isNumber })
        }
        response.body = Body(
            response.body,
            from: start ?? 0,
            hold: self.hold,
            counted: self.counted
        )
        return response
    }

    private final class Body: HTTPBody {
        private struct State {
            var position: Int64
            var rest: ByteMemory?
        }

        private let base: any HTTPBody
        private let hold: ContractResource.Hold?
        private let counted: Watched<Int64>
        private let state: Mutex<State>

        init(
            _ base: any HTTPBody,
            from start: Int64,
            hold: ContractResource.Hold?,
            counted: Watched<Int64>
        ) {
            self.base = base
            self.hold = hold
            self.counted = counted
            self.state = Mutex(State(position: start))
        }

        func next() async throws -> ByteMemory? {
            let (rest, position) = self.state.withLock { state in
                defer { state.rest = nil }
                return (state.rest, state.position)
            }
            let found: ByteMemory?
            if let rest { found = rest } else { found = try await self.base.next() }
            guard var memory = found else { return nil }
            if let hold, position + Int64(memory.count) > hold.offset {
                if position < hold.offset {
                    let head = Int(hold.offset - position)
                    let tail = memory[head..<memory.count]
                    memory = memory[0..<head]
                    self.state.withLock { $0.rest = tail }
                } else {
                    try await hold.gate.wait()
                }
            }
            let count = Int64(memory.count)
            self.state.withLock { $0.position += count }
            self.counted.update { $0 += count }
            return memory
        }

        func cancel() {
            self.base.cancel()
        }
    }
}
