// swift-tools-version: 6.2
// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// One set of compiler settings for every target of ours.
let settings: [SwiftSetting] = {
    var settings: [SwiftSetting] = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
    ]
    // Our own builds refuse warnings; a user's newer compiler must not.
    if Context.environment["WEIR_WARNINGS_AS_ERRORS"] == "1" {
        settings.append(.treatAllWarnings(as: .error))
    }
    return settings
}()

/// A library target: a room of the house, with the rooms that it may see.
func room(_ name: String, sees rooms: [String] = [], uses libraries: [Target.Dependency] = [])
    -> Target
{
    .target(
        name: name,
        dependencies: rooms.map { .target(name: $0) } + libraries,
        swiftSettings: settings
    )
}

/// The test target of a room: the room itself, the test kit, and what else the tests drive.
func tests(
    of name: String,
    sees rooms: [String] = [],
    uses libraries: [Target.Dependency] = [],
    exclude: [String] = []
) -> Target {
    let seen = ([name, "WeirSource", "WeirTestKit"] + rooms).reduce(into: [String]()) {
        if !$0.contains($1) { $0.append($1) }
    }
    return .testTarget(
        name: "\(name)Tests",
        dependencies: seen.map { .target(name: $0) } + libraries,
        exclude: exclude,
        swiftSettings: settings
    )
}

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let asyncHTTPClient = Target.Dependency.product(
    name: "AsyncHTTPClient",
    package: "async-http-client"
)
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let metricsTestKit = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let tomlKit = Target.Dependency.product(name: "TOMLKit", package: "TOMLKit")
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser",
    package: "swift-argument-parser"
)

let package = Package(
    name: "Weir",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Weir", targets: ["Weir"]),
        .library(name: "WeirSource", targets: ["WeirSource"]),
        .library(name: "WeirAudio", targets: ["WeirAudio"]),
        .library(name: "WeirHTTP", targets: ["WeirHTTP"]),
        .library(name: "WeirCache", targets: ["WeirCache"]),
        .library(name: "WeirCipher", targets: ["WeirCipher"]),
        .library(name: "WeirClouds", targets: ["WeirClouds"]),
        .library(name: "WeirLoader", targets: ["WeirLoader"]),
        .library(name: "WeirLive", targets: ["WeirLive"]),
        .library(name: "WeirProxy", targets: ["WeirProxy"]),
        .library(name: "WeirPlayer", targets: ["WeirPlayer"]),
        .library(name: "WeirLibav", targets: ["WeirLibav"]),
        .library(name: "WeirALSA", targets: ["WeirALSA"]),
        .library(name: "WeirAudioToolbox", targets: ["WeirAudioToolbox"]),
        .library(name: "WeirAVFoundation", targets: ["WeirAVFoundation"]),
        .library(name: "WeirURLSession", targets: ["WeirURLSession"]),
        .library(name: "WeirTestKit", targets: ["WeirTestKit"]),
        .library(name: "WeirTestServers", targets: ["WeirTestServers"]),
        .library(name: "WeirPlayerSimulation", targets: ["WeirPlayerSimulation"]),
        .executable(name: "weir", targets: ["WeirCommand"]),
        .executable(name: "weir-test-servers", targets: ["WeirTestServersCommand"]),
    ],
    traits: [
        // Sound on Linux, with the system's libavcodec and libasound; `make` turns it on.
        .trait(name: "LinuxAudio", description: "Decode with libavcodec and play through ALSA.")
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
    ],
    targets: [
        // Layer 0: the vocabulary, and what a stream of audio is made of.
        room("WeirSource"),
        room("WeirAudio"),
        // Layer 1: where bytes come from, and where they stay.
        room(
            "WeirHTTP",
            sees: ["WeirSource"],
            uses: [asyncHTTPClient, nioCore, nioPosix, nioHTTP1, nioSSL]
        ),
        .target(name: "CWeirCRC32C"),
        .target(name: "CWeirFiles"),
        room(
            "WeirCache",
            sees: ["WeirSource"],
            uses: [.target(name: "CWeirCRC32C"), .target(name: "CWeirFiles"), grdb, crypto]
        ),
        room("WeirCipher", sees: ["WeirSource"], uses: [crypto, cryptoExtras]),
        // Layer 2: what is fetched, when, and for whom.
        room("WeirLoader", sees: ["WeirSource", "WeirCache"]),
        room(
            "WeirClouds",
            sees: ["WeirSource", "WeirHTTP"],
            uses: [crypto, nioCore, nioPosix, nioHTTP1]
        ),
        room("WeirLive", sees: ["WeirSource", "WeirAudio"]),
        // Layer 3: what an application imports.
        room(
            "Weir",
            sees: [
                "WeirSource", "WeirAudio", "WeirHTTP", "WeirCache", "WeirCipher", "WeirClouds",
                "WeirLoader", "WeirLive",
            ],
            uses: [nioCore, nioPosix, metrics]
        ),
        // Layer 4: what players talk to.
        room("WeirProxy", sees: ["WeirSource"], uses: [nioCore, nioPosix, nioHTTP1]),
        room("WeirAVFoundation", sees: ["WeirSource"]),
        room("WeirPlayer", sees: ["WeirSource", "WeirAudio", "WeirLive"]),
        // A leaf: another line to origins.
        room("WeirURLSession", sees: ["WeirSource", "WeirHTTP"]),
        // Leaves: how a platform decodes and sounds. Without their library they are empty.
        .systemLibrary(
            name: "CWeirLibav",
            pkgConfig: "libavcodec libavutil",
            providers: [.apt(["libavcodec-dev"])]
        ),
        .systemLibrary(
            name: "CWeirALSA",
            pkgConfig: "alsa",
            providers: [.apt(["libasound2-dev"])]
        ),
        room(
            "WeirLibav",
            sees: ["WeirAudio", "WeirPlayer"],
            uses: [.target(name: "CWeirLibav", condition: .when(traits: ["LinuxAudio"]))]
        ),
        room(
            "WeirALSA",
            sees: ["WeirPlayer"],
            uses: [.target(name: "CWeirALSA", condition: .when(traits: ["LinuxAudio"]))]
        ),
        room("WeirAudioToolbox", sees: ["WeirAudio", "WeirPlayer"]),
        // Layer 5: the program.
        .executableTarget(
            name: "WeirCommand",
            dependencies: [
                "Weir", "WeirSource", "WeirHTTP", "WeirCache", "WeirCipher", "WeirClouds",
                "WeirLoader", "WeirProxy", "WeirAudio", "WeirLive", "WeirPlayer", "WeirLibav",
                "WeirALSA", "WeirAudioToolbox", argumentParser, tomlKit, crypto,
            ],
            swiftSettings: settings
        ),
        // Beside: what tests share, published.
        room("WeirTestKit", sees: ["WeirSource"]),
        room(
            "WeirTestServers",
            sees: ["WeirTestKit"],
            uses: [nioCore, nioPosix, nioHTTP1, crypto]
        ),
        room("WeirPlayerSimulation", sees: ["WeirSource", "WeirAVFoundation", "WeirTestKit"]),
        .executableTarget(
            name: "WeirTestServersCommand",
            dependencies: ["WeirTestServers", argumentParser],
            swiftSettings: settings
        ),
        tests(of: "WeirSource"),
        tests(of: "WeirAudio"),
        tests(of: "WeirHTTP", uses: [nioCore, nioPosix, nioHTTP1, nioSSL, nioEmbedded]),
        tests(of: "WeirCache", uses: [grdb]),
        tests(of: "WeirCipher", uses: [crypto, cryptoExtras]),
        tests(of: "WeirLoader", sees: ["WeirCache"]),
        tests(of: "WeirClouds", sees: ["WeirHTTP", "WeirTestServers"]),
        tests(
            of: "Weir",
            sees: [
                "WeirHTTP", "WeirCache", "WeirCipher", "WeirClouds", "WeirLoader", "WeirProxy",
                "WeirTestServers", "WeirAVFoundation", "WeirPlayerSimulation", "WeirAudio",
                "WeirLive", "WeirPlayer",
            ],
            uses: [nioCore, nioPosix, metrics, metricsTestKit]
        ),
        tests(of: "WeirLive", sees: ["WeirAudio"]),
        tests(of: "WeirPlayer", sees: ["WeirAudio", "WeirLive"]),
        tests(of: "WeirLibav", sees: ["WeirAudio", "WeirPlayer"], exclude: ["Fixtures"]),
        tests(of: "WeirALSA", sees: ["WeirPlayer"]),
        tests(of: "WeirAudioToolbox", sees: ["WeirAudio", "WeirPlayer", "WeirLive"]),
        tests(of: "WeirProxy", uses: [nioCore, nioPosix, nioHTTP1, nioEmbedded]),
        tests(
            of: "WeirAVFoundation",
            sees: ["WeirPlayerSimulation", "WeirCache", "WeirLoader"],
            exclude: ["Fixtures"]
        ),
        tests(of: "WeirURLSession", sees: ["WeirHTTP"], uses: [nioCore, nioPosix]),
        tests(
            of: "WeirCommand",
            sees: [
                "Weir", "WeirProxy", "WeirHTTP", "WeirCache", "WeirCipher", "WeirClouds",
                "WeirAudio", "WeirLive", "WeirPlayer",
            ]
        ),
        tests(of: "WeirTestKit"),
        tests(of: "WeirPlayerSimulation", sees: ["WeirAVFoundation"]),
        tests(of: "WeirTestServers", uses: [asyncHTTPClient, nioCore, nioPosix, nioHTTP1]),
    ]
)

// Programs that only measure: in a release build, beside what users build.
if Context.environment["WEIR_TRIALS"] == "1" {
    package.targets.append(
        .executableTarget(
            name: "CipherTrial",
            dependencies: ["WeirCipher", "WeirSource", "WeirTestKit"],
            path: "Benchmarks/CipherTrial",
            swiftSettings: settings
        )
    )
    package.targets.append(
        .executableTarget(
            name: "PlayerTrial",
            dependencies: [
                "WeirPlayerSimulation", "WeirAVFoundation", "WeirSource", "WeirTestKit",
            ],
            path: "Benchmarks/PlayerTrial",
            swiftSettings: settings
        )
    )
    package.targets.append(
        .executableTarget(
            name: "AudioTrial",
            dependencies: ["WeirAudio", "WeirTestKit"],
            path: "Benchmarks/AudioTrial",
            swiftSettings: settings
        )
    )
}

// The Apple parts of WeirAVFoundation and WeirAudioToolbox, compiled and run on Linux against declarations of our own.
// In a scratch path of their own: a build that has the stub must never meet one that has not.
#if os(Linux)
if Context.environment["WEIR_STUBS"] == "1" {
    let rooms = [
        "WeirSource", "WeirTestKit", "WeirAVFoundation", "WeirPlayerSimulation",
        "WeirAVFoundationTests", "WeirCache", "WeirLoader", "CWeirCRC32C", "CWeirFiles",
        "WeirAudio", "WeirLive", "WeirPlayer", "WeirAudioToolbox", "WeirAudioToolboxTests",
    ]
    package.products = []
    package.traits = []
    package.targets = package.targets.filter { rooms.contains($0.name) }
    package.targets += [
        .target(name: "AVFoundation", path: "Stubs/AVFoundation", swiftSettings: settings),
        .target(name: "AudioToolbox", path: "Stubs/AudioToolbox", swiftSettings: settings),
        .target(
            name: "AVFAudio",
            dependencies: ["AudioToolbox"],
            path: "Stubs/AVFAudio",
            swiftSettings: settings
        ),
    ]
    for target in package.targets {
        // What uses the declarations that are ours alone stands behind this: on a Mac there are only Apple's.
        if target.type == .test { target.swiftSettings?.append(.define("WEIR_STUBS")) }
        if target.name.hasPrefix("WeirAVFoundation") { target.dependencies.append("AVFoundation") }
        if target.name.hasPrefix("WeirAudioToolbox") {
            target.dependencies += ["AudioToolbox", "AVFAudio"]
        }
    }
}
#endif

// The player and radio alone, for a build under ThreadSanitizer that is not long: they need no package but this one. In a
// scratch path of its own.
if Context.environment["WEIR_STORMS"] == "1" {
    let rooms = [
        "WeirSource", "WeirTestKit", "WeirAudio", "WeirLive", "WeirPlayer", "WeirLiveTests",
        "WeirPlayerTests",
    ]
    package.products = []
    package.traits = []
    package.targets = package.targets.filter { rooms.contains($0.name) }
}

// Only the tests of the targets that are named, "WeirProxy WeirLoader": less to compile while one works on a part.
if let names = Context.environment["WEIR_TESTS"] {
    let wanted = names.split(separator: " ").map { "\($0)Tests" }
    package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) }
}
