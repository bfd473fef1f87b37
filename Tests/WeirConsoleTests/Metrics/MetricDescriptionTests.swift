// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Foundation
import Metrics
import Testing
import Weir
import WeirCache
import WeirProxy

@testable import WeirConsole

@Suite("The meaning of the metrics")
struct MetricDescriptionTests {
    /// A row of the table of Documentation/Metrics.md.
    private struct Row: Hashable {
        var name: String
        var kind: String
        var label: String
        var meaning: String
    }

    private static func document() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(
            contentsOf: root.appending(path: "Documentation/Metrics.md"),
            encoding: .utf8
        )
    }

    private static func rows() throws -> [Row] {
        try Self.document().split(separator: "\n").filter { $0.hasPrefix("| `weir_") }.map { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .dropFirst().dropLast().map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 4, "\(line)")
            return Row(
                name: cells[0].trimmingCharacters(in: ["`"]),
                kind: cells[1],
                label: cells[2].trimmingCharacters(in: ["`"]),
                meaning: cells[3]
            )
        }
    }

    @Test("the documentation's table has the help text of each metric, and no other metric")
    func table() throws {
        let rows = try Self.rows()
        #expect(Set(rows.map(\.name)).count == rows.count)
        let told = Dictionary(rows.map { ($0.name, $0.meaning) }, uniquingKeysWith: { $1 })
        #expect(told == MetricDescription.all)
    }

    @Test("the kind of each metric follows from its name")
    func kinds() throws {
        for row in try Self.rows() {
            let isTotal = row.name.hasSuffix("_total")
            switch row.kind {
            case "counter": #expect(isTotal, "\(row.name)")
            case "histogram":
                #expect(row.name.hasSuffix("_seconds"), "\(row.name)")
            case "gauge": #expect(!isTotal, "\(row.name)")
            default: Issue.record("\(row.name) is no \(row.kind)")
            }
        }
    }

    @Test("the documented outcomes are the existing ones")
    func outcomes() throws {
        let parts = try Self.document().split(separator: "| outcome | meaning |")
        try #require(parts.count == 2)
        let names = parts[1].split(separator: "\n", omittingEmptySubsequences: false)
            .dropFirst(2).prefix { $0.hasPrefix("|") }
            .compactMap { $0.firstMatch(of: /`(\w+)`/).map { String($0.output.1) } }
        #expect(Set(names) == Set(ProxyMetrics.Outcome.allCases.map { "\($0)" }))
        #expect(names.count == ProxyMetrics.Outcome.allCases.count)
    }

    @Test(
        "the metrics of a proxy and a console have a description, and the documented kind and label"
    )
    func made() async throws {
        try await ConsoleScene.run([.kept(1, 100)]) { scene in
            _ = ProxyMetrics(factory: scene.registry)
            scene.library.cacheLimits = .init(byteCount: 1 << 30)
            let text = await scene.ask("/metrics").text
            let rows = Dictionary(
                try Self.rows().map { ($0.name, $0) },
                uniquingKeysWith: { first, _ in first }
            )
            for name in scene.registry.names {
                let row = try #require(rows[name], "\(name)")
                #expect(text.contains("# TYPE \(name) \(row.kind)\n"))
                #expect(text.contains("# HELP \(name) \(row.meaning)\n"))
            }
            #expect(scene.registry.names.contains("weir_requests_total"))
            #expect(scene.registry.names.contains("weir_cache_free_bytes"))
        }
    }
}
