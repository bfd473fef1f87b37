// swift-tools-version: 6.2
// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

func weir(_ name: String) -> Target.Dependency {
    .product(name: name, package: "Weir")
}

/// A whole program from an article, in its own folder.
func program(_ name: String, uses libraries: [String]) -> Target {
    .executableTarget(name: name, dependencies: libraries.map(weir), path: "Programs/\(name)")
}

/// A library only for platforms with AVPlayer.
func appleOnly(_ name: String) -> Target.Dependency {
    .product(name: name, package: "Weir", condition: .when(platforms: [.macOS, .iOS]))
}

let package = Package(
    name: "WeirExamples",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "Jobs", targets: ["Jobs"]),
        .executable(name: "Player", targets: ["Player"]),
        .library(name: "PlayerModel", targets: ["PlayerModel"]),
    ],
    dependencies: [
        .package(name: "Weir", path: "..")
    ],
    targets: [
        .executableTarget(
            name: "Jobs",
            dependencies: [
                weir("Weir"), weir("WeirPlayer"), weir("WeirProxy"),
                appleOnly("WeirAVFoundation"),
            ],
            path: "Jobs"
        ),
        program("TokenSong", uses: ["Weir", "WeirProxy"]),
        program("KeptSong", uses: ["Weir"]),
        program("SavedSongs", uses: ["Weir"]),
        program("SealedFilm", uses: ["Weir", "WeirProxy"]),
        program("RadioListener", uses: ["Weir", "WeirPlayer"]),
        .target(
            name: "PlayerModel",
            dependencies: [weir("Weir")],
            path: "PlayerModel"
        ),
        .executableTarget(
            name: "Player",
            dependencies: [
                "PlayerModel", appleOnly("Weir"), appleOnly("WeirAVFoundation"),
                appleOnly("WeirSwiftUI"),
            ],
            path: "Player"
        ),
        .testTarget(
            name: "PlayerModelTests",
            dependencies: [
                "PlayerModel", weir("Weir"), weir("WeirTestKit"),
            ],
            path: "PlayerModelTests"
        ),
    ],
    swiftLanguageModes: [.v6]
)
