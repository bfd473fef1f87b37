// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

/// A cache in a directory of its own; the test controls its queue, its time and its files.
final class CacheBench: Sendable {
    let directory: TemporaryDirectory
    let files: ScriptedFiles
    let work: ManualWork
    let cache: Cache
    /// The warnings that the observer received.
    let warnings: Warnings
    /// The evictions that the observer received because the cache held too much.
    let evictions: Evictions
    /// The time of day, in milliseconds; every read advances it by one.
    private let time: Ticks

    /// A cache's warnings.
    final class Warnings: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { self.texts.withLock { $0 } }
        func add(_ text: String) { self.texts.withLock { $0.append(text) } }
    }

    /// A cache's evictions.
    final class Evictions: Sendable {
        struct Eviction: Hashable, Sendable {
            var resourceCount: Int
            var byteCount: Int64
        }

        private let events = Mutex<[Eviction]>([])
        var all: [Eviction] { self.events.withLock { $0 } }
        func add(_ event: Eviction) { self.events.withLock { $0.append(event) } }
    }

    /// A clock that advances when it is read.
    final class Ticks: Sendable {
        private let value = Mutex<Int64>(1_700_000_000_000)
        func pass(_ time: Duration) {
            self.value.withLock { $0 += time.components.seconds * 1000 }
        }
        func next() -> Int64 {
            self.value.withLock { value in
                value += 1
                return value
            }
        }
    }

    /// Opens a cache in a new directory, or in the directory of an earlier bench.
    init(
        limit: Int64? = nil,
        limits: CacheLimits? = nil,
        in directory: TemporaryDirectory = TemporaryDirectory(),
        files: ScriptedFiles = ScriptedFiles(),
        maximumOpenFiles: Int = 128,
        knownAtOnce: Int = Cache.knownAtOnce,
        later: Duration = .zero
    ) throws {
        let work = ManualWork()
        let time = Ticks()
        time.pass(later)
        let warnings = Warnings()
        let evictions = Evictions()
        self.directory = directory
        self.files = files
        self.work = work
        self.time = time
        self.warnings = warnings
        self.evictions = evictions
        self.cache = try Cache(
            directory: directory.path(of: "cache"),
            limits: limits ?? CacheLimits(byteCount: limit),
            observer: { event in
                switch event {
                case .cacheDegraded(let reason): warnings.add(reason)
                case .cacheEvicted(let count, let bytes):
                    evictions.add(.init(resourceCount: count, byteCount: bytes))
                default: break
                }
            },
            files: files,
            maximumOpenFiles: maximumOpenFiles,
            knownAtOnce: knownAtOnce,
            work: work,
            now: { time.next() }
        )
    }

    /// Advances the cache's clock of the day.
    func pass(_ time: Duration) {
        self.time.pass(time)
    }

    /// The key of a numbered resource.
    static func key(_ number: Int = 1, account: String = "anna") -> ResourceKey {
        ResourceKey(
            location: "https://example.org/\(number).mp3",
            account: account,
            display: "https://example.org/\(number).mp3"
        )
    }

    /// A new generation of a resource with some bytes of the pattern; the resource's number is the
    /// seed.
    @discardableResult
    func keep(
        _ number: Int,
        _ range: Range<Int64>,
        length: Int64? = nil,
        account: String = "anna",
        releasing: Bool = true
    ) throws -> Generation {
        let generation = try self.cache.create(
            Self.key(number, account: account),
            description: ResourceDescription(
                length: length ?? range.upperBound,
                validator: .entityTag("\"\(number)\"")
            ),
            persistent: true
        )
        try generation.write(pattern: range, seed: UInt64(number))
        if releasing { generation.release() }
        self.work.runAll()
        return generation
    }

    /// A copy of the directory as a kill at this moment would leave it.
    func copied() throws -> TemporaryDirectory {
        let copy = TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: self.cache.directory,
            toPath: copy.path(of: "cache")
        )
        return copy
    }

    /// The paths of all files below the cache directory.
    var fileNames: Set<String> {
        let path = self.cache.directory
        return Set(FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? [])
    }

    /// The names of all data files and journals.
    var stored: Set<String> {
        Set(
            self.fileNames.compactMap { $0.split(separator: "/").last.map(String.init) }
                .filter { StoredFileName($0) != nil }
        )
    }
}

extension Generation {
    /// Writes a part of the pattern.
    func write(pattern range: Range<Int64>, seed: UInt64 = 1) throws {
        try self.write(
            ByteMemory(PatternBytes.bytes(in: range, seed: seed)),
            at: range.lowerBound
        )
    }

    /// The first held byte that differs from the pattern; `nil` if all are equal.
    func firstWrongByte(seed: UInt64 = 1) throws -> Int64? {
        for run in self.held.ranges {
            var offset = run.lowerBound
            while offset < run.upperBound {
                // A wrong checksum counts as a wrong byte too.
                guard let slice = try self.checkedSlice(at: offset, before: run.upperBound) else {
                    return offset
                }
                let bytes = try slice.load().withUnsafeBytes { Array($0) }
                let expected = PatternBytes.bytes(in: slice.range, seed: seed)
                if let place = zip(bytes, expected).enumerated().first(where: { $1.0 != $1.1 })?
                    .offset
                {
                    return offset + Int64(place)
                }
                offset = slice.range.upperBound
            }
        }
        return nil
    }

    /// The bytes of a range that must be held in one piece.
    func bytes(_ range: Range<Int64>) throws -> [UInt8]? {
        guard let slice = try self.checkedSlice(at: range.lowerBound, before: range.upperBound),
            slice.range == range
        else { return nil }
        return try slice.load().withUnsafeBytes { Array($0) }
    }
}
