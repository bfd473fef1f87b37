// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirAudio
import WeirCipher
import WeirClouds
import WeirHTTP
import WeirLoader
import WeirProxy
import WeirTestKit

@testable import WeirCommand

/// The settings that `Fixtures/format-1/make` wrote with the program of commit 4550d8f, in a temporary folder.
@Suite("Settings of the first format")
struct FirstFormatSettingsTests {
    private let folder = TemporaryDirectory()
    private var directory: String { self.folder.path(of: "weir") }

    init() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/format-1")
        try FileManager.default.copyItem(
            atPath: root.appendingPathComponent("config").path,
            toPath: self.directory
        )
        try FileManager.default.copyItem(
            atPath: root.appendingPathComponent("state/weir/positions.json").path,
            toPath: self.folder.path(of: "positions.json")
        )
        for name in try FileManager.default.contentsOfDirectory(atPath: self.directory) {
            #expect(chmod("\(self.directory)/\(name)", 0o600) == 0)
        }
    }

    private var environment: ProgramEnvironment {
        ProgramEnvironment(["HOME": "/home/me", "XDG_CONFIG_HOME": self.folder.path])
    }

    private func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(self.directory)/\(name)"))
    }

    @Test("the configuration keeps its meaning")
    func configuration() throws {
        let before = try self.bytes("config.toml")
        let configuration = try Configuration.load(nil, self.environment)
        var settings = ConfigurationSettings()
        settings.listen = ListenAddress(host: "127.0.0.1", port: 4750)
        settings.cacheLimit = ByteSize(bytes: 3 << 30)
        settings.cacheAge = TimeSpan(argument: "30d")
        settings.prefetch = PrefetchPolicy.first(4 << 20)
        settings.revalidate = Revalidation(argument: "90s")
        settings.readAhead = ByteSize(bytes: 2 << 20)
        #expect(configuration.settings == settings)

        #expect(
            configuration.sources.map(\.name)
                == ["archive", "cloud", "films", "home", "links", "vault", "yandex"]
        )
        let archive = try configuration.source(named: "archive")
        guard case .http(.url(let url), _, let variables) = archive.kind else {
            Issue.record("archive is \(archive.kind)")
            return
        }
        #expect(url.location() == "https://archive.example/music/")
        #expect(variables == [EnvironmentHeader("Authorization=ARCHIVE_TOKEN")])
        #expect(archive.volatileQuery == ["sig", "exp"])
        #expect(archive.account == "me")
        #expect(archive.isImmutable)
        let cloud = try configuration.source(named: "cloud")
        guard case .webDAV(let address, let credential, let scheme) = cloud.kind else {
            Issue.record("cloud is \(cloud.kind)")
            return
        }
        #expect(address.location() == "https://cloud.example/remote.php/dav/files/me/")
        #expect(credential == .password(user: "me", .literal("of the fixture")))
        #expect(scheme == .digest)
        let home = try configuration.source(named: "home")
        #expect(home.kind == .files(path: "/home/me/Music"))
        let links = try configuration.source(named: "links")
        guard case .http(let linked, _, _) = links.kind else {
            Issue.record("links is \(links.kind)")
            return
        }
        #expect(linked == .command(["get-link", "{}"], life: TimeSpan(argument: "10m")))
        let yandex = try configuration.source(named: "yandex")
        guard case .yandexDisk(let disk) = yandex.kind else {
            Issue.record("yandex is \(yandex.kind)")
            return
        }
        #expect(disk.access == .account("renewed"))
        #expect(disk.root == "/Music")
        #expect(
            try configuration.source(named: "vault").cipher
                == CipherSettings(key: .file("\(self.directory)/age.key"), format: .age)
        )
        let format = AESFormat(
            .ctr,
            initialVector: .bytes(Array(16...31)),
            initialCounter: 1,
            plainHeaderLength: 1024
        )
        #expect(
            try configuration.source(named: "films").cipher
                == CipherSettings(key: .file("\(self.directory)/aes.key"), format: .aes(format))
        )
        #expect(try self.bytes("config.toml") == before)
    }

    @Test("the stations are read, and reading does not change the file")
    func stations() throws {
        let before = try self.bytes("stations.toml")
        let list = try StationList.read(self.environment)
        #expect(list.stations.map(\.name) == ["eho", "groove"])
        let groove = try #require(list["groove"])
        #expect(groove.address.location() == "https://radio.example/groove.pls")
        #expect(groove.charset == nil)
        let eho = try #require(list["eho"])
        #expect(eho.address.location() == "http://radio.example:8000/eho")
        #expect(eho.headers["X-Key"] == "one")
        #expect(eho.environmentHeaders == [EnvironmentHeader("Authorization=RADIO_TOKEN")])
        #expect(eho.charset == .windows1251)
        #expect(try self.bytes("stations.toml") == before)
    }

    @Test("the secret of the proxy stays, so that URLs stay")
    func secret() throws {
        let before = try self.bytes("secret")
        let secret = try ProxySecret.stored(in: self.directory)
        #expect("\(secret.text)\n" == String(decoding: before, as: UTF8.self))
        #expect(try self.bytes("secret") == before)
    }

    @Test("the positions are read")
    func positions() throws {
        let path = self.folder.path(of: "positions.json")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let file = PositionsFile(path: path)
        let positions = file.read()
        #expect(
            positions.entries == [
                "5ef6b642ea8e5a0860313762500633d6": PlayPositions.Entry(
                    position: 14.872,
                    noted: 1_795_368_686
                )
            ]
        )
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test("positions of a later format are not used, and stay the same byte for byte")
    func laterPositions() throws {
        let path = self.folder.path(of: "positions.json")
        let later = Data(#"{"version":2,"positions":[{"media":"a","seconds":12}]}"#.utf8)
        try later.write(to: URL(fileURLWithPath: path))
        let file = PositionsFile(path: path)
        #expect(file.read().entries.isEmpty)
        file.change { $0.note("a", at: .seconds(100), of: .seconds(3600), now: 1) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == later)
        // A file that is only damaged is written again.
        try Data("{".utf8).write(to: URL(fileURLWithPath: path))
        file.change { $0.note("a", at: .seconds(100), of: .seconds(3600), now: 1) }
        #expect(file.read()["a"] == .seconds(100))
    }

    @Test(
        "stations and a configuration with keys of a newer Weir are refused with a sentence, and not changed"
    )
    func laterTexts() throws {
        let line = "version = 2\n"
        for name in ["stations.toml", "config.toml"] {
            let text = line + String(decoding: try self.bytes(name), as: UTF8.self)
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(self.directory)/\(name)"))
            let error = #expect(throws: CommandError.self) {
                if name == "config.toml" {
                    _ = try Configuration.load(nil, self.environment)
                } else {
                    try StationList.change(self.environment) { _ in "" }
                }
            }
            #expect(
                error?.description.contains("\(self.directory)/\(name):1") == true,
                "\(error?.description ?? "")"
            )
            #expect(error?.description.contains("version") == true)
            #expect(String(decoding: try self.bytes(name), as: UTF8.self) == text)
        }
    }
}
