// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirCache
import WeirSource

// Texts that change, loaded once for all processes of the directory.
extension CacheAccess {
    /// How long a process may say nothing while it loads, or while others load for it.
    static var textPatience: Duration { .seconds(10) }

    /// Loads a text that changes, unless another process of the directory has just loaded it.
    ///
    /// While the directory cannot be used, or its owner cannot be reached, each process loads the text itself.
    ///
    /// - Parameters:
    ///   - key: the resource of the text.
    ///   - number: the number of the text that this process knows; 0 without one.
    ///   - load: loads the text from the origin of this process.
    /// - Returns: the text, and its number; the age is zero if this process loaded it.
    /// - Throws: the error of `load`; `CancellationError`.
    package func sharedText(
        _ key: ResourceKey,
        after number: UInt64,
        load: () async throws -> SharedText
    ) async throws -> (text: SharedText, number: UInt64) {
        switch try await self.settledState() {
        case .owning(let owner):
            switch try await owner.texts.ask(for: key.identifier, after: number) {
            case .text(let text, let number): return (text, number)
            case .load(let ticket):
                var aged: SharedText?
                defer { owner.texts.end(ticket, with: aged) }
                let text: SharedText
                (text, aged) = try await self.timed(load)
                return (text, ticket.number)
            case .wait: break
            }
        case .using:
            guard let (connection, answer) = try await self.askOwner(for: key, after: number) else {
                break
            }
            defer { connection.close() }
            switch answer {
            case .text(let text, let number): return (text, number)
            case .loadText(let number):
                // Owned by this call, which cancels it.
                let pulse = Task { await connection.pulse() }
                defer { pulse.cancel() }
                let (text, aged) = try await self.timed(load)
                if text.bytes.count <= SharedText.longest {
                    try? await connection.send(.text(aged, number: number))
                }
                return (text, number)
            default: break
            }
        case .without, .opening, .closed: break
        }
        return (try await load(), number)
    }

    /// Loads a text; the second result has the age that other processes need.
    private func timed(
        _ load: () async throws -> SharedText
    ) async throws -> (text: SharedText, aged: SharedText) {
        let start = self.timeline.elapsed()
        let text = try await load()
        var aged = text
        aged.age = self.timeline.elapsed() - start
        return (text, aged)
    }

    /// Asks the owner; `nil` if it does not answer.
    private func askOwner(
        for key: ResourceKey,
        after number: UInt64
    ) async throws -> (PeerConnection, Message)? {
        do {
            let connection = try await self.address.connect()
            try await connection.send(.shareText(key: key.identifier, after: number))
            while true {
                let answer = try await connection.within(Self.textPatience) {
                    try await connection.answer()
                }
                if case .alive = answer { continue }
                return (connection, answer)
            }
        } catch {
            try Task.checkCancellation()
            return nil
        }
    }
}
