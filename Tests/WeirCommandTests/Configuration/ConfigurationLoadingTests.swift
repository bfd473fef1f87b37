// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirLoader
import WeirTestKit

@testable import WeirCommand

@Suite("The configuration's file")
struct ConfigurationLoadingTests {
    private let folder = TemporaryDirectory()

    private func write(_ text: String, _ name: String, mode: Int = 0o644) throws -> String {
        let path = self.folder.path(of: name)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private func environment(_ more: [String: String] = [:]) -> ProgramEnvironment {
        ProgramEnvironment(
            more.merging(["XDG_CONFIG_HOME": self.folder.path]) { mine, _ in mine }
        )
    }

    @Test("may be absent, unless the user named it")
    func missing() throws {
        let configuration = try Configuration.load(nil, self.environment())
        #expect(configuration.sources.isEmpty)
        #expect(configuration.file == self.folder.path(of: "weir/config.toml"))
        let path = self.folder.path(of: "none.toml")
        let named = #expect(throws: CommandError.self) {
            try Configuration.load(path, self.environment())
        }
        let variable = #expect(throws: CommandError.self) {
            try Configuration.load(nil, self.environment(["WEIR_CONFIG": path]))
        }
        for error in [named, variable] {
            #expect(error?.status == .notFound)
            #expect(error?.description.contains(path) == true)
        }
        #expect(throws: CommandError.self) {
            try Configuration.load(self.folder.path, self.environment())
        }
    }

    @Test("is the named one, then the environment's, then the usual one")
    func order() throws {
        let usual = try self.write("keep = \"whole\"", "weir/config.toml")
        let other = try self.write("keep = \"played\"", "other.toml")
        let third = try self.write("keep = \"first:1MiB\"", "third.toml")
        let environment = self.environment(["WEIR_CONFIG": other])
        #expect(try Configuration.load(nil, self.environment()).file == usual)
        #expect(try Configuration.load(nil, environment).file == other)
        let configuration = try Configuration.load(third, environment)
        #expect(configuration.settings.prefetch == PrefetchPolicy(argument: "first:1MiB"))
    }

    @Test(
        "may hold secrets only with the mode 0600",
        arguments: [0o600, 0o400, 0o640, 0o644, 0o602]
    )
    func modes(_ mode: Int) throws {
        let path = try self.write(
            "[sources.x]\nservice = \"yandex-disk\"\ntoken = \"t\"",
            "c.toml",
            mode: mode
        )
        if mode & 0o077 == 0 {
            #expect(try Configuration.load(path, self.environment()).sources.count == 1)
        } else {
            let error = #expect(throws: CommandError.self) {
                try Configuration.load(path, self.environment())
            }
            #expect(error?.description.contains("chmod 600 \(path)") == true)
        }
    }

    @Test("a secret is the value of a variable, or the first line of a file")
    func secrets() throws {
        let environment = self.environment(["T": "t1"])
        #expect(try SecretReference.environment("T").value(environment) == "t1")
        let unset = #expect(throws: CommandError.self) {
            try SecretReference.environment("NOPE").value(environment)
        }
        #expect(unset?.description.contains("NOPE") == true)
        let path = try self.write(" t2 \r\nmore\n", "token")
        #expect(try SecretReference.file(path).value(environment) == "t2")
        let empty = try self.write("\nt3\n", "empty")
        for path in [empty, self.folder.path(of: "none"), self.folder.path] {
            let error = #expect(throws: CommandError.self) {
                try SecretReference.file(path).value(environment)
            }
            #expect(error?.description.contains(path) == true)
            #expect(error?.description.contains("t3") == false)
        }
    }
}
