// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirSwiftUI

/// A page that follows a test's script.
@MainActor
private final class ScriptedPage: LogInPage {
    typealias End = @Sendable (Result<URL, any Error>) -> Void

    let log: Watched<[String]>
    let onStart: () -> Bool

    init(_ log: Watched<[String]>, _ onStart: @escaping () -> Bool) {
        self.log = log
        self.onStart = onStart
    }

    func start() -> Bool {
        let isShown = self.onStart()
        self.log.update { $0.append("started") }
        return isShown
    }

    func cancel() { self.log.update { $0.append("cancelled") } }
}

@MainActor
@Suite("A page in the system's browser", .timeLimit(.minutes(1)))
struct LogInPageTests {
    private let log = Watched<[String]>([])
    private nonisolated static let first = URL(filePath: "/first")
    private nonisolated static let second = URL(filePath: "/second")

    @Test("ends once, with the first result, from any thread")
    func ends() async throws {
        let end = try await ScriptedPage.end { ended in
            ScriptedPage(self.log) {
                Thread.detachNewThread {
                    ended(.success(Self.first))
                    ended(.success(Self.second))
                    ended(.failure(CancellationError()))
                }
                return true
            }
        }
        #expect(end == Self.first)
        #expect(self.log.value == ["started"])
    }

    @Test("that ends while it is being shown keeps its result")
    func endsAtOnce() async throws {
        let end = try await ScriptedPage.end { ended in
            ScriptedPage(self.log) {
                ended(.success(Self.first))
                // The system also reports that it has not shown the page.
                return false
            }
        }
        #expect(end == Self.first)
    }

    @Test("that the system does not show is an error, and a later result changes nothing")
    func isRefused() async {
        let error = await #expect(throws: SourceError.self) {
            _ = try await ScriptedPage.end { ended in
                ScriptedPage(self.log) {
                    defer { Task { ended(.success(Self.first)) } }
                    return false
                }
            }
        }
        #expect(error?.code == .invalidRequest)
        #expect(self.log.value == ["started"])
    }

    @Test("is closed when the task is cancelled, whether or not the system reports its end")
    func isCancelled() async {
        for tells in [true, false] {
            let log = Watched<[String]>([])
            let told = Watched<ScriptedPage.End?>(nil)
            let task = Task {
                try await ScriptedPage.end { ended in
                    ScriptedPage(log) {
                        told.update { $0 = ended }
                        return true
                    }
                }
            }
            try? await log.wait { $0 == ["started"] }
            task.cancel()
            if tells { told.value?(.failure(SourceError(.closed, "It was closed."))) }
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            #expect(log.value == ["started", "cancelled"])
        }
    }

    @Test("of a task that was cancelled earlier is never shown")
    func isNeverShown() async {
        let gate = Gate()
        let log = self.log
        let task = Task {
            try? await gate.wait()
            return try await ScriptedPage.end { _ in ScriptedPage(log) { true } }
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(!log.value.contains("started"))
    }
}
