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

/// The privacy manifest of a module that calls an interface for which Apple wants a reason.
///
/// A resource cannot be for one platform alone, and on Linux it would bring Foundation's `Bundle` and code that finds it.
/// The manifest is read on the machine that builds, which is a Mac for every platform of Apple's.
#if os(macOS)
let privacyManifests: (resources: [Resource], excluded: [String]) = (
    [.copy("PrivacyInfo.xcprivacy")], []
)
#else
let privacyManifests: (resources: [Resource], excluded: [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

/// A library target: the modules and libraries that it may import.
func module(
    _ name: String,
    sees modules: [String] = [],
    uses libraries: [Target.Dependency] = [],
    exclude: [String] = [],
    givesReasons: Bool = false
) -> Target {
    .target(
        name: name,
        dependencies: modules.map { .target(name: $0) } + libraries,
        exclude: exclude + (givesReasons ? privacyManifests.excluded : []),
        resources: givesReasons ? privacyManifests.resources : [],
        swiftSettings: settings
    )
}

/// The test target of a module: the module itself, the test kit, and what else the tests drive.
func tests(
    of name: String,
    sees modules: [String] = [],
    uses libraries: [Target.Dependency] = [],
    exclude: [String] = []
) -> Target {
    let seen = ([name, "WeirSource", "WeirTestKit"] + modules).reduce(into: [String]()) {
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
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metricsTestKit = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser",
    package: "swift-argument-parser"
)

/// A product of another package that a module needs on some platforms alone.
func product(_ name: String, of package: String, on platforms: [Platform]) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(platforms: platforms))
}

/// Where URLSession is the transport of a library.
let applePlatforms: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .visionOS, .watchOS]

/// Where a process may share a cache with others, serve players and log in by a browser: SwiftNIO is compiled there alone.
let desktopPlatforms: [Platform] = [.linux, .macOS]

let package = Package(
    name: "Weir",
    platforms: [
        .macOS(.v15), .iOS(.v18), .macCatalyst(.v18), .tvOS(.v18), .visionOS(.v2), .watchOS(.v11),
    ],
    products: [
        // The library. Beside Weir it has the modules by which others extend it: a source or a front end (WeirSource), a
        // transport (WeirHTTP), a service (WeirClouds), an encrypted format (WeirCipher), what listens to radio (WeirLive).
        .library(
            name: "Weir",
            targets: ["Weir", "WeirSource", "WeirHTTP", "WeirClouds", "WeirCipher", "WeirLive"]
        ),
        .library(name: "WeirProxy", targets: ["WeirProxy", "WeirSource"]),
        .library(name: "WeirAVFoundation", targets: ["WeirAVFoundation", "WeirSource"]),
        // Views over a scrubber, and the keychain; what decides in it is compiled everywhere.
        .library(name: "WeirSwiftUI", targets: ["WeirSwiftUI"]),
        .library(name: "WeirAudio", targets: ["WeirAudio", "WeirSource"]),
        .library(name: "WeirURLSession", targets: ["WeirURLSession", "WeirHTTP"]),
        .library(name: "WeirNIOTransport", targets: ["WeirNIOTransport", "WeirHTTP"]),
        // The player with the platform's sound; WeirPlayback is for a decoder or a sink of one's own.
        .library(name: "WeirPlayer", targets: ["WeirPlayer", "WeirPlayback", "WeirLive"]),
        // What tests of sources, services and players share.
        .library(
            name: "WeirTestKit",
            targets: ["WeirTestKit", "WeirTestServers"]
        ),
        .executable(name: "weir", targets: ["WeirCommand"]),
        .executable(name: "weir-test-servers", targets: ["WeirTestServersCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // Layer 0: the vocabulary, and what a stream of audio is made of.
        module("WeirSource"),
        module("WeirAudio", sees: ["WeirSource"]),
        // Layer 1: where bytes come from, and where they stay.
        module(
            "WeirHTTP",
            sees: ["WeirSource"],
            uses: [.target(name: "CWeirZlib"), crypto]
        ),
        // Connections of Linux and macOS.
        module(
            "WeirNIOTransport",
            sees: ["WeirSource", "WeirHTTP"],
            uses: [nioCore, nioPosix, nioTLS, nioSSL]
        ),
        module("WeirURLSession", sees: ["WeirSource", "WeirHTTP"]),
        // Loads the system's zlib when it is first used, or is linked with it where that is part of the platform.
        .target(
            name: "CWeirZlib",
            dependencies: [.target(name: "CWeirLibrary", condition: .when(platforms: [.linux]))],
            linkerSettings: [.linkedLibrary("z", .when(platforms: applePlatforms))]
        ),
        .target(name: "CWeirCRC32C"),
        .target(name: "CWeirFiles"),
        module(
            "WeirCache",
            sees: ["WeirSource"],
            uses: [.target(name: "CWeirCRC32C"), .target(name: "CWeirFiles"), grdb, crypto],
            givesReasons: true
        ),
        // Apple platforms have CommonCrypto instead of BoringSSL.
        module(
            "WeirCipher",
            sees: ["WeirSource"],
            uses: [crypto, product("CryptoExtras", of: "swift-crypto", on: [.linux])]
        ),
        // Playlists of segments.
        module("WeirHLS"),
        // Layer 2: what is fetched, when, and for whom.
        module("WeirLoader", sees: ["WeirSource", "WeirCache"]),
        module("WeirTier", sees: ["WeirSource", "WeirCache"], uses: [crypto]),
        module(
            "WeirClouds",
            sees: ["WeirSource", "WeirHTTP"],
            uses: [
                crypto,
                // The end of a log-in, at a port of this machine.
                product("NIOCore", of: "swift-nio", on: desktopPlatforms),
                product("NIOPosix", of: "swift-nio", on: desktopPlatforms),
                product("NIOHTTP1", of: "swift-nio", on: desktopPlatforms),
            ],
            givesReasons: true
        ),
        module("WeirLive", sees: ["WeirSource", "WeirAudio"], givesReasons: true),
        module("WeirSharing", sees: ["WeirSource", "WeirCache", "WeirLoader"]),
        // Where several processes see one folder: Linux and macOS.
        module(
            "WeirSharingSocket",
            sees: ["WeirSource", "WeirCache", "WeirSharing"],
            uses: [nioCore, nioPosix]
        ),
        // Layer 3: what an application imports.
        module(
            "Weir",
            sees: [
                "WeirSource", "WeirHLS", "WeirAudio", "WeirHTTP", "WeirCache", "WeirCipher",
                "WeirClouds", "WeirLoader", "WeirLive", "WeirSharing", "WeirTier",
            ],
            uses: [
                .target(name: "WeirNIOTransport", condition: .when(platforms: desktopPlatforms)),
                .target(name: "WeirURLSession", condition: .when(platforms: applePlatforms)),
                .target(name: "WeirSharingSocket", condition: .when(platforms: desktopPlatforms)),
                metrics,
            ],
            givesReasons: true
        ),
        // Layer 4: what players talk to.
        module(
            "WeirProxy",
            sees: ["WeirSource"],
            uses: [nioCore, nioPosix, nioHTTP1],
            givesReasons: true
        ),
        module("WeirAVFoundation", sees: ["WeirSource"]),
        module("WeirPlayback", sees: ["WeirSource", "WeirAudio", "WeirLive"], givesReasons: true),
        // Layer 4: what an application's views show.
        module("WeirSwiftUI", sees: ["WeirSource", "WeirClouds"]),
        // Leaves: how a platform decodes and sounds; empty on the others. The C targets declare what they use of
        // the system's libraries, and load them when they are first used: nothing is linked, no header is needed.
        .target(
            name: "CWeirLibrary",
            linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]
        ),
        .target(name: "CWeirLibav", dependencies: ["CWeirLibrary"]),
        .target(name: "CWeirALSA", dependencies: ["CWeirLibrary"]),
        module(
            "WeirLibav",
            sees: ["WeirAudio", "WeirPlayback"],
            uses: [
                .target(name: "CWeirLibav", condition: .when(platforms: [.linux])),
                .target(name: "CWeirLibrary", condition: .when(platforms: [.linux])),
            ]
        ),
        module(
            "WeirALSA",
            sees: ["WeirAudio", "WeirPlayback"],
            uses: [
                .target(name: "CWeirALSA", condition: .when(platforms: [.linux])),
                .target(name: "CWeirLibrary", condition: .when(platforms: [.linux])),
            ]
        ),
        .target(name: "CWeirExceptions"),
        module(
            "WeirAudioToolbox",
            sees: ["WeirAudio", "WeirPlayback"],
            uses: [.target(name: "CWeirExceptions")]
        ),
        // The player with the sound of its platform.
        module(
            "WeirPlayer",
            sees: [
                "WeirAudio", "WeirLive", "WeirPlayback", "WeirLibav", "WeirALSA",
                "WeirAudioToolbox",
            ]
        ),
        // What shows a library and its proxy at work: the page, metrics, logs. The files of the page are embedded by C.
        .target(name: "CWeirPage"),
        module(
            "WeirConsole",
            sees: [
                "Weir", "WeirSource", "WeirCache", "WeirLoader", "WeirLive", "WeirProxy",
            ],
            uses: [.target(name: "CWeirPage"), metrics, logging],
            exclude: ["Page"]
        ),
        // Layer 5: the program.
        .target(name: "CWeirSignals"),
        // Keeps ICU's data out of the program on Linux.
        .target(name: "CWeirICUData"),
        .executableTarget(
            name: "WeirCommand",
            dependencies: [
                "CWeirSignals", "CWeirICUData",
                "Weir", "WeirSource", "WeirHTTP", "WeirNIOTransport", "WeirCache", "WeirCipher",
                "WeirClouds", "WeirLoader", "WeirProxy", "WeirConsole", "WeirAudio", "WeirLive",
                "WeirPlayback",
                "WeirPlayer", argumentParser, crypto, metrics, logging,
            ],
            swiftSettings: settings
        ),
        // Beside: what tests share, published.
        module("WeirTestKit", sees: ["WeirSource"]),
        module(
            "WeirTestServers",
            sees: ["WeirTestKit"],
            uses: [nioCore, nioPosix, nioHTTP1, crypto]
        ),
        module("WeirPlayerSimulation", sees: ["WeirSource", "WeirAVFoundation", "WeirTestKit"]),
        .executableTarget(
            name: "WeirTestServersCommand",
            dependencies: ["CWeirSignals", "WeirTestServers", argumentParser],
            swiftSettings: settings
        ),
        // Beside: what the tests of several modules share, in no product.
        .target(
            name: "WeirCacheTestSupport",
            dependencies: ["WeirCache"],
            path: "Tests/WeirCacheTestSupport",
            swiftSettings: settings
        ),
        tests(of: "WeirSource"),
        tests(of: "WeirAudio"),
        tests(
            of: "WeirHTTP",
            sees: ["WeirNIOTransport", "WeirTestServers"],
            uses: [nioCore, nioPosix, nioHTTP1, nioSSL, nioEmbedded]
        ),
        tests(of: "WeirCache", sees: ["WeirCacheTestSupport"], uses: [grdb]),
        tests(of: "WeirHLS"),
        tests(of: "WeirCipher", uses: [crypto, cryptoExtras]),
        tests(of: "WeirLoader", sees: ["WeirCache", "WeirCacheTestSupport"]),
        tests(of: "WeirTier", sees: ["WeirCache"]),
        tests(
            of: "WeirSharing",
            sees: [
                "WeirCache", "WeirLoader", "WeirHTTP", "WeirNIOTransport", "WeirSharingSocket",
                "WeirCacheTestSupport",
            ],
            uses: [nioCore, nioPosix]
        ),
        tests(
            of: "WeirSharingSocket",
            sees: ["WeirCache", "WeirSharing"],
            uses: [nioCore, nioEmbedded]
        ),
        tests(of: "WeirClouds", sees: ["WeirHTTP", "WeirNIOTransport", "WeirTestServers"]),
        tests(
            of: "Weir",
            sees: [
                "WeirHTTP", "WeirNIOTransport", "WeirCache", "WeirCipher", "WeirClouds",
                "WeirLoader", "WeirProxy", "WeirTestServers", "WeirAVFoundation",
                "WeirPlayerSimulation", "WeirAudio",
                "WeirLive", "WeirPlayer", "WeirCacheTestSupport",
            ],
            uses: [nioCore, nioPosix, metrics, metricsTestKit]
        ),
        tests(of: "WeirLive", sees: ["WeirAudio"]),
        tests(of: "WeirPlayback", sees: ["WeirAudio", "WeirLive"]),
        tests(
            of: "WeirLibav",
            sees: ["WeirAudio", "WeirPlayback", "CWeirLibav", "CWeirLibrary"],
            exclude: ["Fixtures"]
        ),
        tests(of: "WeirALSA", sees: ["WeirAudio", "WeirPlayback", "CWeirLibrary"]),
        tests(of: "WeirAudioToolbox", sees: ["WeirAudio", "WeirPlayback", "WeirLive"]),
        tests(of: "WeirProxy", uses: [nioCore, nioPosix, nioHTTP1, nioEmbedded]),
        tests(
            of: "WeirAVFoundation",
            sees: ["WeirPlayerSimulation", "WeirCache", "WeirLoader"],
            exclude: ["Fixtures"]
        ),
        tests(of: "WeirSwiftUI", sees: ["WeirClouds"]),
        tests(
            of: "WeirURLSession",
            sees: ["WeirHTTP", "WeirTestServers"],
            uses: [nioCore, nioPosix]
        ),
        tests(
            of: "WeirConsole",
            sees: ["Weir", "WeirCache", "WeirLoader", "WeirLive", "WeirProxy"],
            uses: [metrics, logging]
        ),
        tests(
            of: "WeirCommand",
            sees: [
                "Weir", "WeirProxy", "WeirConsole", "WeirHTTP", "WeirCache", "WeirCipher",
                "WeirClouds", "WeirAudio", "WeirLive", "WeirPlayback",
            ]
        ),
        tests(of: "WeirTestKit"),
        tests(of: "WeirPlayerSimulation", sees: ["WeirAVFoundation"]),
        tests(
            of: "WeirTestServers",
            sees: ["WeirHTTP", "WeirNIOTransport"],
            uses: [nioCore, nioPosix, nioHTTP1]
        ),
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
            name: "OpeningTrial",
            dependencies: ["Weir", "WeirCache", "WeirSource"],
            path: "Benchmarks/OpeningTrial",
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
    package.targets.append(
        .executableTarget(
            name: "StationTrial",
            dependencies: ["WeirLive", "WeirAudio", "WeirSource"],
            path: "Benchmarks/StationTrial",
            swiftSettings: settings
        )
    )
}

// The Apple parts of WeirAVFoundation, WeirAudioToolbox and WeirCipher, compiled and run on Linux against declarations of our own.
// In a scratch path of their own: a build that has the stub must never meet one that has not.
#if os(Linux)
if Context.environment["WEIR_STUBS"] == "1" {
    let modules = [
        "WeirSource", "WeirTestKit", "WeirAVFoundation", "WeirPlayerSimulation",
        "WeirAVFoundationTests", "WeirCache", "WeirLoader", "CWeirCRC32C", "CWeirFiles",
        "WeirAudio", "WeirLive", "WeirPlayback", "WeirAudioToolbox", "WeirAudioToolboxTests",
        "WeirCipher", "WeirCipherTests",
    ]
    package.products = []
    package.targets = package.targets.filter { modules.contains($0.name) }
    package.targets += [
        .target(name: "AVFoundation", path: "Stubs/AVFoundation", swiftSettings: settings),
        .target(name: "AudioToolbox", path: "Stubs/AudioToolbox", swiftSettings: settings),
        // After swift-crypto, whose modules would import CommonCrypto if it were there when they are compiled.
        .target(
            name: "CommonCrypto",
            dependencies: [crypto, cryptoExtras],
            path: "Stubs/CommonCrypto",
            swiftSettings: settings
        ),
        .target(
            name: "AVFAudio",
            dependencies: ["AudioToolbox"],
            path: "Stubs/AVFAudio",
            swiftSettings: settings
        ),
        .target(
            name: "CWeirExceptions",
            dependencies: ["AVFAudio"],
            path: "Stubs/CWeirExceptions",
            swiftSettings: settings
        ),
    ]
    for target in package.targets {
        // What uses the declarations that are ours alone stands behind this: on a Mac there are only Apple's.
        if target.type == .test { target.swiftSettings?.append(.define("WEIR_STUBS")) }
        if target.name.hasPrefix("WeirAVFoundation") { target.dependencies.append("AVFoundation") }
        if target.name.hasPrefix("WeirCipher") { target.dependencies.append("CommonCrypto") }
        if target.name.hasPrefix("WeirAudioToolbox") {
            target.dependencies += ["AudioToolbox", "AVFAudio"]
        }
    }
}
#endif

// The player, radio and what they stand on, for a build under ThreadSanitizer that is not long: they need no package but this one. In a
// scratch path of its own.
if Context.environment["WEIR_STORMS"] == "1" {
    let modules = [
        "WeirSource", "WeirTestKit", "WeirAudio", "WeirLive", "WeirPlayback", "WeirSourceTests",
        "WeirLiveTests", "WeirPlaybackTests",
    ]
    package.products = []
    package.targets = package.targets.filter { modules.contains($0.name) }
}

// Only the tests of the targets that are named, "WeirProxy WeirLoader": less to compile while one works on a part.
if let names = Context.environment["WEIR_TESTS"] {
    let wanted = names.split(separator: " ").map { "\($0)Tests" }
    package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) }
}
