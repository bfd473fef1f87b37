// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
import Foundation
import Testing

/// The modules of Weir and of other packages that an application compiles, for each product and
/// platform.
///
/// If you make a product lighter, remove a name from a list in this file. If a product becomes
/// heavier, the test names the platform.
@Suite("The compiled modules")
struct CompiledModulesTests {
    /// Platforms on which the library compiles no modules for sockets.
    private static let devices: Set = ["ios", "tvos", "watchos", "visionos", "maccatalyst"]
    private static let computers: Set = ["macos", "linux"]

    /// The packages of other authors that every playing product may compile on a device.
    private static let light: Set = ["GRDB", "Crypto", "Metrics", "Logging"]
    /// The products that play on a device.
    private static let players: Set = [
        "Weir", "WeirAVFoundation", "WeirAudio", "WeirPlayer", "WeirSwiftUI", "WeirURLSession",
    ]
    private static let sockets: Set = ["NIOCore", "NIOHTTP1", "NIOPosix"]
    private static let transport: Set = [
        "WeirNIOTransport", "NIOCore", "NIOPosix", "NIOSSL", "NIOTLS",
    ]

    private static let http: Set = ["WeirHTTP", "WeirSource", "CWeirZlib", "Crypto"]
    private static let library: Set = http.union([
        "Weir", "WeirAudio", "WeirCache", "WeirCipher", "WeirClouds", "WeirHLS", "WeirLive",
        "WeirLoader", "WeirSharing", "WeirTier", "CWeirCRC32C", "CWeirFiles", "GRDB", "Metrics",
    ])
    private static let player: Set = [
        "WeirPlayer", "WeirPlayback", "WeirLive", "WeirAudio", "WeirSource", "WeirLibav",
        "WeirALSA", "WeirAudioToolbox", "CWeirExceptions",
    ]
    private static let linuxPlayer: Set = ["CWeirLibav", "CWeirALSA", "CWeirLibrary"]
    private static let servers: Set = sockets.union([
        "WeirTestServers", "WeirTestKit", "WeirSource", "Crypto",
    ])
    /// The library on platforms where processes may share a folder and a log-in may use the local
    /// browser.
    private static let desktop: Set = library.union(transport).union(sockets).union([
        "WeirSharingSocket"
    ])
    private static let program: Set = desktop.union(player).union([
        "WeirCommand", "WeirConsole", "WeirProxy", "CWeirPage", "CWeirSignals",
        "CWeirICUData", "ArgumentParser", "Logging",
    ])

    /// The modules of each product on devices, on macOS and on Linux.
    private static let list: [String: [String: Set<String>]] = [
        "Weir": rows(
            devices: library.union(["WeirURLSession"]),
            macOS: desktop.union(["WeirURLSession"]),
            linux: desktop.union(["CryptoExtras", "CWeirLibrary"])
        ),
        "WeirProxy": rows(all: sockets.union(["WeirProxy", "WeirSource"])),
        "WeirAVFoundation": rows(all: ["WeirAVFoundation", "WeirSource"]),
        "WeirSwiftUI": rows(
            devices: http.union(["WeirSwiftUI", "WeirClouds"]),
            macOS: http.union(sockets).union(["WeirSwiftUI", "WeirClouds"]),
            linux: http.union(sockets).union(["WeirSwiftUI", "WeirClouds", "CWeirLibrary"])
        ),
        "WeirAudio": rows(all: ["WeirAudio", "WeirSource"]),
        "WeirURLSession": rows(
            devices: http.union(["WeirURLSession"]),
            macOS: http.union(["WeirURLSession"]),
            linux: http.union(["WeirURLSession", "CWeirLibrary"])
        ),
        // An application on a device can choose SwiftNIO's connections.
        "WeirNIOTransport": rows(
            devices: http.union(transport),
            macOS: http.union(transport),
            linux: http.union(transport).union(["CWeirLibrary"])
        ),
        "WeirPlayer": rows(devices: player, macOS: player, linux: player.union(linuxPlayer)),
        "WeirTestKit": rows(all: servers),
        // Programs are not built for devices.
        "weir": [
            "macos": program.union(["WeirURLSession"]),
            "linux": program.union(linuxPlayer).union(["CryptoExtras"]),
        ],
        "weir-test-servers": [
            "macos": servers.union(testServers), "linux": servers.union(testServers),
        ],
    ]
    private static let testServers: Set = [
        "WeirTestServersCommand", "CWeirSignals", "ArgumentParser",
    ]

    private static func rows(
        devices: Set<String>,
        macOS: Set<String>,
        linux: Set<String>
    ) -> [String: Set<String>] {
        var rows = Dictionary(uniqueKeysWithValues: Self.devices.map { ($0, devices) })
        rows["macos"] = macOS
        rows["linux"] = linux
        return rows
    }

    private static func rows(all: Set<String>) -> [String: Set<String>] {
        Self.rows(devices: all, macOS: all, linux: all)
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The manifest, as the package manager reads it without the environment variables of Weir.
    private static func manifest() throws -> Data {
        let scratch = FileManager.default.temporaryDirectory
            .appendingPathComponent("weir-manifest-\(UUID())")
        defer { try? FileManager.default.removeItem(at: scratch) }
        var environment = ProcessInfo.processInfo.environment
        environment = environment.filter { !$0.key.hasPrefix("WEIR_") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            environment["SWIFT"] ?? "swift", "package", "--package-path", Self.root.path,
            "--scratch-path", scratch.path, "dump-package",
        ]
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "swift package dump-package failed")
        return text
    }

    @Test("for each product on each platform equal the list")
    func list() throws {
        let graph = try PackageGraph(Self.manifest())
        #expect(graph.differences(from: Self.list) == [])
        let own = Set(graph.needs.keys)
        for platform in Self.devices {
            for product in graph.products.keys {
                let names = graph.closure(of: product, on: platform)
                #expect(!names.contains("CryptoExtras"), "\(product) on \(platform)")
            }
            for product in Self.players {
                let others = graph.closure(of: product, on: platform).subtracting(own)
                #expect(
                    others.isSubset(of: Self.light),
                    "\(product) on \(platform): \(others.subtracting(Self.light).sorted())"
                )
            }
        }
    }

    @Test("do not depend on other packages of an application")
    func conditions() throws {
        let sources = Self.root.appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(atPath: sources.path))
        for case let path as String in files where path.hasSuffix(".swift") {
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            for module in ["NIO", "AsyncHTTPClient", "CryptoExtras", "_CryptoExtras", "Crypto)"] {
                #expect(!text.contains("canImport(\(module)"), "\(path)")
            }
        }
    }

    /// A small manifest in JSON.
    ///
    /// - Parameter condition: the condition under which the library needs the heavy product.
    /// - Returns: the JSON, as the package manager dumps it.
    private static func made(_ condition: String) -> Data {
        Data(
            """
            {
              "platforms": [{"platformName": "macos", "version": "15.0", "options": []}],
              "products": [{"name": "Player", "targets": ["Player"]}],
              "targets": [
                {"name": "Player", "dependencies": [
                  {"byName": ["Sound", null]},
                  {"target": ["Screen", {"platformNames": ["macos", "ios"]}]}
                ]},
                {"name": "Sound", "dependencies": [
                  {"product": ["Heavy", "heavy-things", null, \(condition)]}
                ]},
                {"name": "Screen", "dependencies": [{"target": ["Sound", null]}]}
              ]
            }
            """.utf8
        )
    }

    private static let small: [String: [String: Set<String>]] = [
        "Player": [
            "ios": ["Player", "Sound", "Screen"], "macos": ["Player", "Sound", "Screen"],
            "linux": ["Player", "Sound", "Heavy"],
        ]
    ]

    @Test(
        "are compared with the list, and each difference is reported",
        arguments: [
            (#"{"platformNames": ["linux"]}"#, []),
            // The condition is missing, has one platform too many, or names the wrong platform.
            ("null", ["Player compiles Heavy on ios.", "Player compiles Heavy on macos."]),
            (#"{"platformNames": ["linux", "ios"]}"#, ["Player compiles Heavy on ios."]),
            (
                #"{"platformNames": ["macos"]}"#,
                [
                    "Player no longer compiles Heavy on linux.", "Player compiles Heavy on macos.",
                ]
            ),
            (
                #"{"platformNames": ["linux", "android"]}"#,
                ["The manifest names android, and no list does."]
            ),
        ]
    )
    func mistakes(_ condition: String, _ sentences: [String]) throws {
        let graph = try PackageGraph(Self.made(condition))
        #expect(graph.differences(from: Self.small) == sentences)
    }

    @Test("have a list for each product, and every list names a product")
    func products() throws {
        let graph = try PackageGraph(Self.made(#"{"platformNames": ["linux"]}"#))
        #expect(
            graph.differences(from: ["Recorder": ["macos": []]]).filter { !$0.contains("names") }
                == ["Player is in no list.", "Recorder is in the list, and is no product."]
        )
        #expect(throws: (any Error).self) { _ = try PackageGraph(Data("{}".utf8)) }
    }
}
#endif
