// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCacheTestSupport
import WeirTestKit

@testable import WeirCache

@Suite("A file of records and a power cut at any moment")
struct RecordLogPowerCutTests {
    private static let format = RecordLog.Format(name: "log", magic: "TESTTEST", version: 1)

    /// Records with successive numbers, one in each; the file is rewritten from time to time.
    private static func records(_ range: Range<Int>) -> [RecordLog.Record] {
        range.map { number in
            RecordLog.Record(
                kind: 1,
                payload: Array("\(number)-".utf8) + Array(repeating: 7, count: number * 5)
            )
        }
    }

    @Test(
        "durable records are there, in order, and other records are whole or missing",
        arguments: 1...3
    )
    func anywhere(_ seed: UInt64) throws {
        let directory = TemporaryDirectory()
        let root = directory.path(of: "cache")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let files = ScriptedFiles(keepsBytes: true)
        files.answer { $0.operation == .synchronize ? .skips : .goesOn }
        var generator = SeededGenerator(seed: seed)
        var log = RecordLog(directory: root, files: files, format: Self.format)
        var (first, last) = (0, 0)
        // The range that holds from each operation on.
        var promises: [(operation: Int, range: Range<Int>)] = []
        for _ in 0..<40 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                first = Int.random(in: first...last, using: &generator)
                try log.rewrite(Self.records(first..<last))
            default:
                let next = last + Int.random(in: 1...3, using: &generator)
                try log.append(Self.records(last..<next))
                last = next
            }
            promises.append((files.log.count, first..<last))
        }
        var image = DiskImage()
        var (cuts, promised) = (0, 0..<0)
        var next = 0
        for (index, call) in files.log.enumerated() {
            let changed = image.happened(call)
            while next < promises.count, promises[next].operation == index + 1 {
                promised = promises[next].range
                next += 1
            }
            guard changed else { continue }
            let target = directory.path(of: "cut-\(cuts)")
            try image.cut(from: root, to: target, using: &generator)
            cuts += 1
            var left = RecordLog(directory: target, files: PosixFiles(), format: Self.format)
            let records = try left.read()
            let coming = next < promises.count ? promises[next].range : promised
            let ends = promised.upperBound...max(promised.upperBound, coming.upperBound)
            let isRight = ends.contains { end in
                records == Self.records(promised.lowerBound..<end)
                    || records == Self.records(coming.lowerBound..<end)
            }
            #expect(
                isRight,
                "seed \(seed), cut \(cuts), promised \(promised), \(records.count) records"
            )
            try left.append(Self.records(last..<last + 1))
            #expect(try left.read() == records + Self.records(last..<last + 1))
            try FileManager.default.removeItem(atPath: target)
        }
        #expect(cuts > 80)
    }
}
