// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirTestKit

@Suite("Waiting without sleeping", .timeLimit(.minutes(2)))
struct WaitingTests {
    @Test("a watched value wakes exactly those whose condition holds")
    func watched() async throws {
        let number = Watched(0)
        try await number.wait { $0 == 0 }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for limit in [1, 2, 3] {
                group.addTask {
                    try await number.wait { $0 >= limit }
                    return limit
                }
            }
            for limit in [1, 2, 3] {
                number.update { $0 += 1 }
                let woken = try await group.next()
                #expect(woken == limit)
            }
        }
    }

    @Test("a short-lived state is not missed")
    func shortStates() async throws {
        let number = Watched(0)
        let entered = Gate()
        async let seen: Void = {
            entered.open()
            try await number.wait { $0 == 1 }
        }()
        try await entered.wait()
        // If the waiter has not registered yet, its first check must see the 1.
        number.update { $0 = 1 }
        try await seen
        number.update { $0 = 2 }
        #expect(number.value == 2)
    }

    @Test("a cancelled wait ends with CancellationError, before and while it waits")
    func cancelledWaits() async {
        let number = Watched(0)
        for isEarly in [true, false] {
            await withTaskGroup(of: Bool.self) { group in
                if isEarly { group.cancelAll() }
                group.addTask {
                    do {
                        try await number.wait { $0 < 0 }
                        return false
                    } catch {
                        return error is CancellationError
                    }
                }
                group.cancelAll()
                let wasCancelled = await group.next()
                #expect(wasCancelled == true)
            }
        }
    }

    @Test("a gate holds until it is opened, counts its waiters, and can be closed again")
    func gate() async throws {
        let gate = Gate()
        #expect(!gate.isOpen)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await gate.wait() } }
            try await gate.waitForWaiters(5)
            #expect(gate.waiterCount == 5)
            gate.open()
            try await group.waitForAll()
        }
        #expect(gate.waiterCount == 0)
        try await gate.wait()
        gate.close()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(throws: CancellationError.self) { try await gate.wait() }
            }
            try? await gate.waitForWaiters(1)
            group.cancelAll()
        }
        #expect(gate.waiterCount == 0)
    }

    @Test("a folder and its content exist as long as its object")
    func temporaryDirectory() throws {
        var folder: TemporaryDirectory? = TemporaryDirectory()
        let path = try #require(folder?.path)
        let file = try #require(folder?.path(of: "file"))
        #expect(Self.write("x", to: file))
        #expect(Self.exists(file))
        #expect(folder?.path != TemporaryDirectory().path)
        folder = nil
        #expect(!Self.exists(path))
    }
}

extension WaitingTests {
    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }

    private static func write(_ text: String, to path: String) -> Bool {
        FileManager.default.createFile(atPath: path, contents: Data(text.utf8))
    }
}
