// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirNIOTransport
import WeirSource
import WeirTestKit

/// A real transport that counts the requests whose responses are pending.
///
/// A media response is pending until its head arrives, any other response until its body ends.
struct WatchedTransport: HTTPTransport {
    let base: NIOTransport
    let pending = Watched(0)

    init() throws {
        self.base = try NIOTransport(.init(proxies: ProxySettings.none))
    }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        let answer = Answer(self.pending)
        var response = try await self.base.send(request)
        if response.headers["Content-Type"]?.hasPrefix("audio/") != true {
            response.body = Body(response.body, of: answer)
        }
        return response
    }

    /// A pending response; it counts as long as it exists.
    private final class Answer: Sendable {
        private let pending: Watched<Int>

        init(_ pending: Watched<Int>) {
            self.pending = pending
            pending.update { $0 += 1 }
        }

        deinit { self.pending.update { $0 -= 1 } }
    }

    /// A body that is pending until it ends.
    private final class Body: HTTPBody {
        private let base: any HTTPBody
        private let answer: Watched<Answer?>

        init(_ base: any HTTPBody, of answer: Answer) {
            self.base = base
            self.answer = Watched(answer)
        }

        func next() async throws -> ByteMemory? {
            do {
                let bytes = try await self.base.next()
                if bytes == nil { self.ended() }
                return bytes
            } catch {
                self.ended()
                throw error
            }
        }

        func cancel() {
            self.ended()
            self.base.cancel()
        }

        private func ended() {
            // The response is released outside the lock.
            let answer = self.answer.update { answer in
                defer { answer = nil }
                return answer
            }
            withExtendedLifetime(answer) {}
        }
    }
}
