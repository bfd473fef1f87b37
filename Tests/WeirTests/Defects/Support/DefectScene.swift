// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirHTTP
import WeirProxy
import WeirTestKit
import WeirTestServers

/// A scripted origin, a cache folder, and libraries and proxies that play from the origin.
final class DefectScene: Sendable {
    let origin: ScriptedServer
    let folder = TemporaryDirectory()

    /// Starts an origin with a script.
    init(_ script: @escaping @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step])
        async throws
    {
        self.origin = try await ScriptedServer.start(script)
    }

    /// Starts an origin that serves a file correctly.
    convenience init(_ file: DefectFile = DefectFile()) async throws {
        try await self.init { file.answer($0) }
    }

    func url(_ target: String = "/music/song.mp3") throws -> URL {
        try #require(URL(string: "http://127.0.0.1:\(self.origin.port)\(target)"))
    }

    /// A library that retries after a millisecond.
    func library(_ change: (inout MediaLibrary.Configuration) -> Void = { _ in }) throws
        -> MediaLibrary
    {
        var options = MediaLibrary.Configuration(directory: self.folder.path)
        options.origin.retry = RetryPolicy(
            maximumRetries: 2,
            maximumFirstRetries: 2,
            firstDelay: .milliseconds(1)
        )
        change(&options)
        return try MediaLibrary(options)
    }

    func end() async {
        await self.origin.shutdown()
    }

    /// A proxy that serves one source under every address, without a secret.
    static func proxy(_ source: any ByteSource) async throws -> ProxyServer {
        try await ProxyServer.start(ProxyConfiguration(secret: nil), router: Anything(source))
    }

    /// The error with which the reading of a range ends; `nil` if it succeeds.
    static func failure(
        _ source: some ByteSource,
        _ range: RequestedRange = .whole
    ) async -> SourceError? {
        do {
            for try await _ in try await source.read(range) {}
            return nil
        } catch {
            return error as? SourceError
        }
    }

    /// Whether a range reads as the right bytes.
    static func isRight(
        _ source: some ByteSource,
        _ range: Range<Int64>,
        of bytes: [UInt8]
    ) async throws -> Bool {
        var read: [UInt8] = []
        for try await chunk in try await source.read(.span(range)) { read += try chunk.bytes() }
        return read.elementsEqual(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    /// The paths of the files in a folder that have a suffix.
    static func files(in folder: String, _ suffix: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
        return (names ?? []).filter { $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }
    }

    /// The offset of the first held byte that is missing or wrong on the disk.
    ///
    /// - Parameters:
    ///   - folder: a cache with one resource.
    ///   - held: the ranges that the cache claims to hold.
    ///   - bytes: the resource's bytes.
    /// - Returns: `nil` if all held bytes are right.
    /// - Throws: the system's error.
    static func firstWrongByte(
        onDisk folder: String,
        _ held: RangeSet<Int64>,
        of bytes: [UInt8]
    ) throws -> Int64? {
        let paths = Self.files(in: folder, ".data")
        guard paths.count == 1 else { return held.isEmpty ? nil : 0 }
        let stored = try Data(contentsOf: URL(fileURLWithPath: paths[0]))
        for range in held.ranges {
            for offset in range
            where offset >= stored.count || stored[Int(offset)] != bytes[Int(offset)] {
                return offset
            }
        }
        return nil
    }

    private struct Anything: ProxyRouter {
        let source: any ByteSource
        init(_ source: any ByteSource) { self.source = source }
        func source(for target: String) -> (any ByteSource)? { self.source }
    }
}
