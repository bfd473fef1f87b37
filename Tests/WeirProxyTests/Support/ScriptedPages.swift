// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirProxy
import WeirSource
import WeirTestKit

/// A page service that gives a test's answers, and records its requests.
final class ScriptedPages: PageService {
    let requests = Watched<[PageRequest]>([])
    /// How many clients left before the service had made their answer.
    let departures = Watched(0)
    private let body: @Sendable (PageRequest) async throws -> PageAnswer

    init(_ body: @escaping @Sendable (PageRequest) async throws -> PageAnswer) {
        self.body = body
    }

    /// Answers every request with a text.
    convenience init() {
        self.init { _ in Self.text("page\n") }
    }

    static func text(_ text: String, status: Int = 200) -> PageAnswer {
        PageAnswer(
            status: status,
            fields: [("Content-Type", "text/plain")],
            body: .bytes(ByteMemory(Array(text.utf8)))
        )
    }

    func answer(_ request: PageRequest) async -> PageAnswer {
        self.requests.update { $0.append(request) }
        do {
            return try await self.body(request)
        } catch {
            self.departures.update { $0 += 1 }
            return Self.text("stopped\n", status: 503)
        }
    }
}
