// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The table of modules")
struct ModuleTableTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The targets of this package that each target may import: the table of
    /// Documentation/Architecture.md.
    private static let modules: [String: Set<String>] = [
        "WeirSource": [],
        "WeirAudio": ["WeirSource"],
        "WeirHTTP": ["WeirSource", "CWeirZlib"],
        "CWeirZlib": ["CWeirLibrary"],
        "WeirCache": ["WeirSource", "CWeirCRC32C", "CWeirFiles"],
        "CWeirCRC32C": [],
        "CWeirFiles": [],
        "WeirCipher": ["WeirSource"],
        "WeirHLS": [],
        "WeirClouds": ["WeirSource", "WeirHTTP"],
        "WeirLoader": ["WeirSource", "WeirCache"],
        "WeirLive": ["WeirSource", "WeirAudio"],
        "WeirSharing": ["WeirSource", "WeirCache", "WeirLoader"],
        "WeirSharingSocket": ["WeirSource", "WeirCache", "WeirSharing"],
        "WeirTier": ["WeirSource", "WeirCache"],
        "Weir": [
            "WeirSource", "WeirHLS", "WeirAudio", "WeirHTTP", "WeirCache", "WeirCipher",
            "WeirClouds", "WeirLoader", "WeirLive", "WeirSharing", "WeirTier", "WeirURLSession",
            "WeirNIOTransport", "WeirSharingSocket",
        ],
        "WeirProxy": ["WeirSource"],
        "WeirAVFoundation": ["WeirSource"],
        "WeirPlayback": ["WeirSource", "WeirAudio", "WeirLive"],
        "WeirSwiftUI": ["WeirSource", "WeirClouds"],
        "WeirURLSession": ["WeirSource", "WeirHTTP"],
        "WeirNIOTransport": ["WeirSource", "WeirHTTP"],
        "CWeirLibrary": [],
        "CWeirLibav": ["CWeirLibrary"],
        "CWeirALSA": ["CWeirLibrary"],
        "WeirLibav": ["WeirAudio", "WeirPlayback", "CWeirLibav", "CWeirLibrary"],
        "WeirALSA": ["WeirAudio", "WeirPlayback", "CWeirALSA", "CWeirLibrary"],
        "CWeirExceptions": [],
        "WeirAudioToolbox": ["WeirAudio", "WeirPlayback", "CWeirExceptions"],
        "WeirPlayer": [
            "WeirAudio", "WeirLive", "WeirPlayback", "WeirLibav", "WeirALSA", "WeirAudioToolbox",
        ],
        "WeirConsole": [
            "Weir", "WeirSource", "WeirCache", "WeirLoader", "WeirLive", "WeirProxy", "CWeirPage",
        ],
        "CWeirPage": [],
        "CWeirSignals": [],
        "CWeirICUData": [],
        "WeirCommand": [
            "CWeirSignals", "CWeirICUData", "Weir", "WeirSource", "WeirHTTP", "WeirNIOTransport",
            "WeirCache",
            "WeirCipher", "WeirClouds", "WeirLoader",
            "WeirProxy", "WeirConsole", "WeirAudio", "WeirLive", "WeirPlayback", "WeirPlayer",
        ],
        "WeirTestKit": ["WeirSource"],
        "WeirTestServers": ["WeirTestKit"],
        "WeirPlayerSimulation": ["WeirSource", "WeirAVFoundation", "WeirTestKit"],
        "WeirTestServersCommand": ["CWeirSignals", "WeirTestServers"],
        "WeirCacheTestSupport": ["WeirCache"],
    ]

    @Test(
        "every import of one module in another is an arrow of the table",
        arguments: modules.keys.sorted()
    )
    func imports(_ module: String) throws {
        let allowed = try #require(Self.modules[module])
        let parent = module.hasSuffix("TestSupport") ? "Tests" : "Sources"
        let folder = Self.root.appendingPathComponent("\(parent)/\(module)")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path))
        while let file = files.nextObject() as? String {
            guard file.hasSuffix(".swift") else { continue }
            let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            for line in text.split(separator: "\n")
            where line.contains("import ") && !line.hasPrefix("//") {
                // `import WeirHTTP`, `import struct WeirHTTP.HTTPHeader`.
                let module = line.split(separator: " ").last?.split(separator: ".").first
                guard let name = module, name.contains("Weir") else { continue }
                #expect(allowed.contains(String(name)), "\(module)/\(file) imports \(name)")
            }
        }
    }

    @Test("the manifest holds these modules, and each has the dependencies of the table")
    func manifest() throws {
        let text = try String(
            contentsOf: Self.root.appendingPathComponent("Package.swift"),
            encoding: .utf8
        )
        let list = text.components(separatedBy: "    targets: [\n")[1]
        var found: [String: Set<String>] = [:]
        for target in Self.entries(ofList: list) where !target.hasPrefix("tests(") {
            let names = target.matches(of: /"(C?Weir\w*)"/).map { String($0.output.1) }
            found[try #require(names.first)] = Set(names.dropFirst())
        }
        #expect(found == Self.modules)
    }

    @Test(
        "each page about the modules names every module",
        arguments: ["Documentation/Architecture.md", "Sources/README.md"]
    )
    func documented(_ page: String) throws {
        let text = try String(
            contentsOf: Self.root.appendingPathComponent(page),
            encoding: .utf8
        )
        for module in Self.modules.keys where !module.hasSuffix("TestSupport") {
            #expect(text.contains(module), "\(module)")
        }
    }

    @Test("the files with which a reader should begin exist")
    func beginnings() throws {
        let sources = Self.root.appendingPathComponent("Sources")
        let text = try String(
            contentsOf: sources.appendingPathComponent("README.md"),
            encoding: .utf8
        )
        let files = text.matches(of: /`(\w+\/[\w\/+]+\.swift)`/).map { String($0.output.1) }
        #expect(files.count > 8)
        for file in files {
            let path = sources.appendingPathComponent(file).path
            #expect(FileManager.default.fileExists(atPath: path), "\(file)")
        }
    }

    @Test("each listed fault of others names tests and checks that exist")
    func failings() throws {
        let table = try String(
            contentsOf: Self.root.appendingPathComponent("Documentation/Failings.md"),
            encoding: .utf8
        )
        var sources = ""
        let files = FileManager.default.enumerator(
            atPath: Self.root.appendingPathComponent("Tests").path
        )
        while let file = files?.nextObject() as? String {
            guard file.hasSuffix(".swift") else { continue }
            let url = Self.root.appendingPathComponent("Tests/\(file)")
            sources += try String(contentsOf: url, encoding: .utf8)
        }
        let checks = try String(
            contentsOf: Self.root.appendingPathComponent("Checks/run"),
            encoding: .utf8
        )
        var count = 0
        for line in table.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|")
            guard let holders = cells.last(where: { !$0.allSatisfy(\.isWhitespace) }) else {
                continue
            }
            for name in holders.matches(of: /"([^"]+)"/).map(\.output.1) {
                #expect(sources.contains("\"\(name)\""), "\(name)")
                count += 1
            }
            for name in holders.matches(of: /`([a-z]+)`/).map(\.output.1) {
                #expect(checks.contains("\"\(name)\""), "\(name)")
                count += 1
            }
        }
        #expect(count > 40)
    }

    /// The entries of a list, without comments, up to the bracket that closes it.
    private static func entries(ofList list: String) -> [String] {
        let code = list.split(separator: "\n").filter { !$0.contains("//") }.joined(separator: "\n")
        var (entries, entry, depth) = ([String](), "", 0)
        for character in code {
            if character == "]", depth == 0 { break }
            if "([".contains(character) { depth += 1 }
            if ")]".contains(character) { depth -= 1 }
            if character == ",", depth == 0 {
                entries.append(entry.trimmingCharacters(in: .whitespacesAndNewlines))
                entry = ""
            } else {
                entry.append(character)
            }
        }
        entries.append(entry.trimmingCharacters(in: .whitespacesAndNewlines))
        return entries.filter { !$0.isEmpty }
    }
}
