// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource
import WeirTestKit

/// A store in memory that can fail, hang and give false lists.
final class MemoryStore: ObjectStore {
    /// How the store handles a request.
    enum Mood: Sendable {
        case answers
        case fails
        /// Never answers.
        case hangs
        /// Asks the client to pause for a duration.
        case refuses(Duration)
    }

    struct State: Sendable {
        var objects: [String: [UInt8]] = [:]
        var mood = Mood.answers
        /// How many descriptors the store still refuses.
        var refusedDescriptors = 0
        /// The requests: `get KEY`, `put KEY`, `list`.
        var log: [String] = []
        /// Keys in the list without an object.
        var phantoms: [String] = []
        /// The largest number of keys in one list.
        var pageSize = 1000
        /// The store's clock, in seconds since 1970; `nil` if the store reports no times.
        var clock: Int64?
        /// When objects were written, by the store's clock.
        var written: [String: Int64] = [:]
        /// The store's delay for each extent, in turn; `nil` hangs forever.
        var extentDelays: [Duration?] = []
        /// Whether requests for extents hang.
        var hangsWithExtents = false
    }

    let state = Watched(State())

    var extents: [String] {
        self.state.value.objects.keys.filter { !$0.hasSuffix("/descriptor") }.sorted()
    }

    private let clock: any Clock<Duration>

    /// A store whose delays use a clock.
    init(_ clock: any Clock<Duration> = ManualClock()) { self.clock = clock }

    func object(_ key: String, limit: Int) async throws -> StoredObject? {
        try await self.noted("get \(key)")
        if !key.hasSuffix("/descriptor") {
            let delay: Duration?? = self.state.update { state in
                if state.hangsWithExtents { return .some(nil) }
                return state.extentDelays.isEmpty ? nil : .some(state.extentDelays.removeFirst())
            }
            switch delay {
            case nil: break
            case .some(nil): try await Gate().wait()
            case .some(let delay?): try await self.clock.sleep(for: delay)
            }
        }
        let state = self.state.value
        guard let object = state.objects[key] else { return nil }
        guard object.count <= limit else { throw SourceError(.damaged, "Too long.") }
        let age = state.clock.flatMap { now in state.written[key].map { max(0, now - $0) } }
        return StoredObject(object, age: age, date: state.clock)
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
            state.written[key] = state.clock
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
        case .refuses(let time):
            throw SourceError(.throttled, "Not now.", cause: RetryLater(after: time))
        }
    }
}
