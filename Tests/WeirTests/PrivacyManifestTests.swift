// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Checks the interfaces that need a reason for Apple against the reasons in each `PrivacyInfo.xcprivacy`.
@Suite("The privacy manifests")
struct PrivacyManifestTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Targets that are in no application for Apple's stores.
    ///
    /// They are the program and its page, the test support, and the modules for Linux alone.
    private static let outside: Set<String> = [
        "WeirCommand", "WeirConsole", "WeirTestKit", "WeirTestServers", "WeirTestServersCommand",
        "WeirPlayerSimulation", "WeirALSA", "WeirLibav", "CWeirALSA", "CWeirLibav", "CWeirLibrary",
    ]

    /// The interfaces of each category, as Apple lists them under "Describing use of required reason API".
    private static let interfaces: [String: [String]] = [
        "FileTimestamp": [
            "creationDate", "modificationDate", "fileModificationDate",
            "contentModificationDateKey",
            "creationDateKey", "contentModificationDate", "attributesOfItem", "getattrlist",
            "getattrlistbulk", "fgetattrlist", "getattrlistat", "stat", "fstat", "fstatat", "lstat",
        ],
        "SystemBootTime": ["systemUptime", "mach_absolute_time"],
        "DiskSpace": [
            "volumeAvailableCapacityKey", "volumeAvailableCapacityForImportantUsageKey",
            "volumeAvailableCapacityForOpportunisticUsageKey", "volumeTotalCapacityKey",
            "systemFreeSize", "systemSize", "attributesOfFileSystem", "statfs", "statvfs",
            "fstatfs", "fstatvfs",
        ],
        "ActiveKeyboards": ["activeInputModes"],
        "UserDefaults": ["UserDefaults", "NSUserDefaults"],
    ]

    /// The reasons of Apple's list that apply to Weir.
    private static let reasons: [String: Set<String>] = [
        // Reads times of files in the application's container, and of files and folders that the user granted
        // access to.
        "FileTimestamp": ["C617.1", "3B52.1"],
        // Checks for room before it writes files, and removes files when room is low.
        "DiskSpace": ["E174.1"],
    ]

    private struct Manifest: Decodable {
        var tracking: Bool
        var trackingDomains: [String]
        var collectedDataTypes: [String]
        var entries: [Entry]

        enum CodingKeys: String, CodingKey {
            case tracking = "NSPrivacyTracking"
            case trackingDomains = "NSPrivacyTrackingDomains"
            case collectedDataTypes = "NSPrivacyCollectedDataTypes"
            case entries = "NSPrivacyAccessedAPITypes"
        }
    }

    private struct Entry: Decodable {
        var category: String
        var reasons: [String]

        enum CodingKeys: String, CodingKey {
            case category = "NSPrivacyAccessedAPIType"
            case reasons = "NSPrivacyAccessedAPITypeReasons"
        }
    }

    private static func modules() throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: self.root.appendingPathComponent("Sources").path
        )
        .filter { $0.contains("Weir") && !self.outside.contains($0) }.sorted()
    }

    /// The code of a module, without comments.
    private static func code(of module: String) throws -> String {
        let folder = self.root.appendingPathComponent("Sources/\(module)")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path))
        var code = ""
        while let file = files.nextObject() as? String {
            guard ["swift", "c", "h", "m"].contains((file as NSString).pathExtension) else {
                continue
            }
            let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            for line in text.split(separator: "\n") {
                let words = line.drop { $0 == " " }
                if !words.hasPrefix("//") && !words.hasPrefix("*") { code += words + "\n" }
            }
        }
        return code
    }

    /// The categories that code uses.
    private static func categories(in code: String) throws -> Set<String> {
        var found: Set<String> = []
        for (category, names) in self.interfaces {
            let pattern = try Regex("\\b(?:\(names.joined(separator: "|")))\\b")
            if code.contains(pattern) { found.insert(category) }
        }
        return found
    }

    private static func manifest(of module: String) throws -> Manifest? {
        let file = self.root.appendingPathComponent("Sources/\(module)/PrivacyInfo.xcprivacy")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try PropertyListDecoder().decode(Manifest.self, from: Data(contentsOf: file))
    }

    @Test("give a reason for every category that a module uses, and for no other")
    func reasons() throws {
        let package = try String(
            contentsOf: Self.root.appendingPathComponent("Package.swift"),
            encoding: .utf8
        )
        var using: Set<String> = []
        for module in try Self.modules() {
            let used = try Self.categories(in: Self.code(of: module))
            let manifest = try Self.manifest(of: module)
            let entries = manifest?.entries ?? []
            let given = entries.map { entry in
                entry.category.replacing("NSPrivacyAccessedAPICategory", with: "")
            }
            #expect(Set(given) == used && given.count == used.count, "\(module)")
            for (category, entry) in zip(given, entries) {
                let reasons = entry.reasons
                let known = try #require(Self.reasons[category], "\(module), \(category)")
                #expect(!reasons.isEmpty && known.isSuperset(of: reasons), "\(module), \(category)")
            }
            #expect(manifest?.tracking != true)
            #expect(manifest?.trackingDomains.isEmpty != false)
            #expect(manifest?.collectedDataTypes.isEmpty != false)
            // The package's manifest puts the file into the product.
            let target = package.components(separatedBy: "module(")
                .first { $0.drop { $0.isWhitespace }.hasPrefix("\"\(module)\"") }
            #expect(target?.contains("givesReasons: true") == true || used.isEmpty, "\(module)")
            if !used.isEmpty { using.insert(module) }
        }
        #expect(using.isSuperset(of: ["Weir", "WeirCache", "WeirClouds"]))
    }

    @Test("are compared with the sources by the names of the interfaces, and not by similar names")
    func interfaces() throws {
        for (category, names) in Self.interfaces {
            for name in names {
                #expect(try Self.categories(in: "let x = \(name)(y)") == [category], "\(name)")
            }
        }
        #expect(try Self.categories(in: "status.stats, fstatic, self.statistics").isEmpty)
    }
}
