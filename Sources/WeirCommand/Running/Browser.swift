// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The user's browser.
enum Browser {
    /// Opens an address, if there is a way to; the address was printed in any case.
    static func open(_ url: String) {
        #if os(macOS)
        Self.start("open", url)
        #elseif !canImport(Darwin)
        // Without a screen it would start a browser in the terminal.
        let environment = ProcessInfo.processInfo.environment
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
        Self.start("xdg-open", url)
        #endif
    }

    // Other Apple platforms start no programs, and Foundation has no Process there.
    #if os(macOS) || !canImport(Darwin)
    private static func start(_ program: String, _ url: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--", program, url]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? OpenFileLimit.withOriginal { try process.run() }
    }
    #endif
}
