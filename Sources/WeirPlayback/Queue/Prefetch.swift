// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

/// Reads the beginning of a file into its cache, which keeps the bytes that pass through it.
struct Prefetch {
    /// The prefetch stops reading a file that requires more jumps than this.
    private static let mostJumps = 8

    let source: any ByteSource
    let limits: PrefetchLimits

    /// Reads until the limit or the end, and stops when the source keeps nothing.
    ///
    /// The parser says where a player reads first: the index of an MP4 file may be at its end.
    ///
    /// - Throws: `SourceError`; `AudioStreamError`; `CancellationError`.
    func run() async throws {
        guard !self.source.availability.isComplete else { return }
        var left = self.limits.byteCount
        var version: ReadDemand.Version?
        var parser = AudioStreamParser()
        for _ in 0...Self.mostJumps {
            let start = parser.offset
            guard left > 0, start <= .max - left else { return }
            let reading = try await self.source.read(
                ReadDemand(.span(start..<start + left), version: version)
            )
            if version == nil {
                let description = reading.resource
                version = ReadDemand.Version(
                    validator: description.validator,
                    length: description.length
                )
                parser = AudioStreamParser(
                    hint: AudioTypeHint(mediaType: description.mediaType?.description),
                    length: description.length
                )
            }
            guard let offset = try await self.pass(reading, &parser, &left) else { return }
            parser.jump(to: offset, start: nil)
        }
    }

    /// Reads a span; returns the offset where the parser wants to continue, or `nil` if the reading
    /// is over.
    private func pass(
        _ reading: ByteReading,
        _ parser: inout AudioStreamParser,
        _ left: inout Int64
    ) async throws -> Int64? {
        for try await chunk in reading {
            try Task.checkCancellation()
            let bytes = try chunk.memory()
            left -= Int64(bytes.count)
            guard !self.source.availability.held.isEmpty else { return nil }
            parser.push(bytes)
            while let event = try parser.next() {
                if case .wanted(let offset) = event { return offset }
            }
        }
        return nil
    }
}

extension PlayerCore {
    /// Fetches the beginning of an item into its cache, and reports the end; the feeder reads a
    /// failed part later.
    func prefetch(_ id: ItemID) async {
        let source = self.withStore { store -> (any ByteSource)? in
            guard case .media(let source)? = store.items.entry(id)?.item.content else { return nil }
            return source
        }
        if let source, let limits = self.options.prefetch {
            try? await Prefetch(source: source, limits: limits).run()
        }
        if Task.isCancelled { return }
        self.change { $0.prefetch.ended(id) }
    }
}
