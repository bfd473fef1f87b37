// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource
import WeirTestKit

/// A store in memory that can fail, hang and lie.
final class MemoryStore: ObjectStore {
    /// What it does with a question.
    enum Mood: Sendable {
        case answers
        case fails
        /// Never answers.
        case hangs
    }

    struct State: Sendable {
        var objects: [String: [UInt8]] = [:]
        var mood = Mood.answers
        /// How many descriptors are not taken.
        var refusedDescriptors = 0
        /// `get KEY`, `put KEY`, `list`.
        var log: [String] = []
        /// Keys that a list has though there is no such object.
        var phantoms: [String] = []
        /// How many keys a list has at most.
        var pageSize = 1000
    }

    let state = Watched(State())

    var extents: [String] {
        self.state.value.objects.keys.filter { !$0.hasSuffix("/descriptor") }.sorted()
    }

    func object(_ key: String, limit: Int) async throws -> [UInt8]? {
        try await self.noted("get \(key)")
        guard let object = self.state.value.objects[key] else { return nil }
        guard object.count <= limit else { throw SourceError(.damaged, "Too long.") }
        return object
    }

    func put(_ bytes: [UInt8], as key: String, replacing replaces: Bool) async throws -> Bool {
        try await self.noted("put \(key)")
        let isRefused = self.state.update { state in
            guard key.hasSuffix("/descriptor"), state.refusedDescriptors > 0 else { return false }
            state.refusedDescriptors -= 1
            return true
        }
        if isRefused { throw SourceError(.originFailed, "The store has failed.") }
        return self.state.update { state in
            guard replaces || state.objects[key] == nil else { return false }
            state.objects[key] = bytes
            return true
        }
    }

    func keys(
        beginningWith prefix: String,
        from start: String
    ) async throws -> (keys: [String], areAll: Bool) {
        try await self.noted("list")
        let state = self.state.value
        let keys = (state.objects.keys + state.phantoms).filter {
            $0.hasPrefix(prefix) && $0 >= start
        }.sorted()
        return (Array(keys.prefix(state.pageSize)), keys.count <= state.pageSize)
    }

    private func noted(_ entry: String) async throws {
        try Task.checkCancellation()
        let mood = self.state.update { state in
            state.log.append(entry)
            return state.mood
        }
        switch mood {
        case .answers: return
        case .fails: throw SourceError(.originFailed, "The store has failed.")
        case .hangs: try await Gate().wait()
        }
    }
}
