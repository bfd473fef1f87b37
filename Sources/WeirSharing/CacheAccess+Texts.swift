// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirCache
import WeirSource

// Texts that change, loaded once for all processes of the directory.
extension CacheAccess {
    /// How long the owner may take to answer; it lets a process wait for 2 s at most.
    private static var ownerPatience: Duration { SharedTextMachine.longestWait + .seconds(1) }
    /// How long an owner that did not answer is not asked again.
    private static var ownerPause: Duration { .seconds(60) }

    /// Loads a text that changes, unless another process of the directory has just loaded it.
    ///
    /// While the directory cannot be used, or its owner does not answer, each process loads the text itself.
    ///
    /// - Parameters:
    ///   - key: the resource of the text.
    ///   - number: the number of the text that this process knows; 0 without one.
    ///   - load: loads the text from the origin of this process.
    /// - Returns: the text, its number, and the time since its load began.
    /// - Throws: the error of `load`; `CancellationError`.
    package func sharedText(
        _ key: ResourceKey,
        after number: UInt64,
        load: () async throws -> SharedText
    ) async throws -> (text: SharedText, number: UInt64) {
        if let owner {
            switch try await owner.texts.ask(for: key.identifier, after: number) {
            case .text(let text, let number): return (text, number)
            case .load(let ticket):
                var text: SharedText?
                defer { owner.texts.end(ticket, with: text) }
                let loaded = try await self.timed(load)
                text = loaded
                return (loaded, ticket.number)
            case .wait: break
            }
        } else if let (connection, answer) = try await self.askOwner(for: key, after: number) {
            switch answer {
            case .text(let text, let number): return (text, number)
            case .loadText(let number):
                do {
                    let text = try await self.timed(load)
                    connection.deliver(text, number)
                    return (text, number)
                } catch {
                    connection.close()
                    throw error
                }
            default: break
            }
        }
        return (try await self.timed(load), number)
    }

    /// Loads a text, and measures the time on a clock that does not stop while the system sleeps.
    private func timed(_ load: () async throws -> SharedText) async throws -> SharedText {
        let start = ContinuousClock.now
        var text = try await load()
        text.age = start.duration(to: .now)
        return text
    }

    /// Asks the owner for the text.
    ///
    /// - Returns: the answer; `nil` if no other process owns the directory, or the owner does not answer.
    /// - Throws: `CancellationError`.
    private func askOwner(
        for key: ResourceKey,
        after number: UInt64
    ) async throws -> (PeerConnection, Message)? {
        guard self.isUsing else { return nil }
        let now = self.timeline.elapsed()
        guard self.silentTexts.withLock({ $0.map { now - $0 >= Self.ownerPause } ?? true }) else {
            return nil
        }
        do {
            let connection = try await self.address.connect()
            let answer = try await connection.within(Self.ownerPatience) {
                try await connection.send(.shareText(key: key.identifier, after: number))
                return try await connection.answer()
            }
            return (connection, answer)
        } catch {
            try Task.checkCancellation()
            if case PeerError.silent = error { self.silentTexts.withLock { $0 = now } }
            return nil
        }
    }
}

extension PeerConnection {
    /// Sends a loaded text to the owner, and closes the connection; the caller does not wait for the owner.
    fileprivate func deliver(_ text: SharedText, _ number: UInt64) {
        guard text.bytes.count <= SharedText.longest else { return self.close() }
        // Owned by the connection, which it closes; ends within 2 s.
        Task {
            try? await self.within(.seconds(2)) { try await self.send(.text(text, number: number)) }
            self.close()
        }
    }
}
