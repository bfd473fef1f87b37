// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirProxy
import WeirTestKit

@testable import WeirCommand

@Suite("The address of the page")
struct PageAddressTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private let folder = TemporaryDirectory()

    private static func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test(
        "is read as it was written",
        arguments: [
            "http://127.0.0.1:4747/page/", "http://[::1]:4747/page/", "http://player.example/page/",
            "http://localhost:1/page/",
        ]
    )
    func roundTrip(url: String) throws {
        let address = try #require(PageAddress("\(url)#\(Self.secret)"))
        #expect(address.url == url)
        #expect(address.secret.text == Self.secret)
        #expect(address.text == "\(url)#\(Self.secret)")
        #expect(PageAddress(address.text) == address)
        #expect(PageAddress(url: url, secret: address.secret) == address)
    }

    @Test(
        "is not read from any other text, or from a text with markup",
        arguments: [
            "", "#", "http://127.0.0.1/page/", "http://127.0.0.1/page/#",
            "http://127.0.0.1/pages#\(Self.secret)", "https://127.0.0.1/page/#\(Self.secret)",
            "127.0.0.1/page/#\(Self.secret)", "file:///page/#\(Self.secret)", "#\(Self.secret)",
            "http:///page/#\(Self.secret)", "javascript:alert(1)//#\(Self.secret)",
            "http://h/\"><script>/#\(Self.secret)", "http://h/'/#\(Self.secret)",
            "http://h/&quot;/#\(Self.secret)", "http://h/?x/#\(Self.secret)",
            "http://h/page/#\(Self.secret)\"><b>", "http://h/page/#a b",
            "http://h/page/#\(Self.secret)#x",
            "http://h/page/#a/b", "http://h/page/#é", " http://h/page/#\(Self.secret)",
            "http://u:p@h/page/#\(Self.secret)", "http://h@evil.example/page/#\(Self.secret)",
            "http://h/page/#\(Self.secret)\n", "http://h\n/page/#\(Self.secret)",
            "http://h/page/#\(String(repeating: "a", count: 129))",
        ]
    )
    func hostile(text: String) {
        #expect(PageAddress(text) == nil)
    }

    @Test("is accepted without its last slash, too")
    func noSlash() throws {
        let address = try #require(PageAddress("http://127.0.0.1:4747/page#\(Self.secret)"))
        #expect(address.url == "http://127.0.0.1:4747/page/")
    }

    @Test("shows its secret only in its text")
    func hidden() throws {
        let address = try #require(PageAddress("http://h/page/#\(Self.secret)"))
        #expect(!"\(address.secret)".contains(Self.secret))
        #expect(!"\(address)".contains(Self.secret))
    }

    @Test("is kept in a file that no other user can read, and found again")
    func stored() throws {
        let directory = self.folder.path(of: "config/weir")
        #expect(PageAddress.stored(in: directory) == nil)
        let first = PageAddress(url: "http://127.0.0.1:1/page/", secret: ProxySecret())
        try first.store(in: directory)
        #expect(PageAddress.stored(in: directory) == first)
        #expect(try Self.mode("\(directory)/page") == 0o600)
        #expect(try Self.mode(directory) == 0o700)
        let second = PageAddress(url: "http://127.0.0.1:2/page/", secret: first.secret)
        try second.store(in: directory)
        #expect(PageAddress.stored(in: directory) == second)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
                == ["page", "page.lock"]
        )
        #expect(PageAddress.all(in: directory) == [second, first])
    }

    @Test("of a server that ends is removed, and the other servers' addresses stay")
    func withdrawn() throws {
        let secret = ProxySecret()
        let servers = (1...3).map {
            PageAddress(url: "http://127.0.0.1:\($0)/page/", secret: secret)
        }
        for server in servers { try server.store(in: self.folder.path) }
        try servers[2].withdraw(from: self.folder.path)
        #expect(PageAddress.all(in: self.folder.path) == [servers[1], servers[0]])
        // A server that starts again on its port has one entry.
        try servers[0].store(in: self.folder.path)
        #expect(PageAddress.all(in: self.folder.path) == [servers[0], servers[1]])
        try servers[0].withdraw(from: self.folder.path)
        try servers[1].withdraw(from: self.folder.path)
        // The last address stays in the file, because the file keeps the secret.
        #expect(PageAddress.all(in: self.folder.path) == [servers[1]])
    }

    @Test("with a new secret replaces all others, and at most eight of killed servers are kept")
    func bounded() throws {
        let secret = ProxySecret()
        for port in 1...20 {
            try PageAddress(url: "http://127.0.0.1:\(port)/page/", secret: secret)
                .store(in: self.folder.path)
        }
        #expect(
            PageAddress.all(in: self.folder.path).map(\.url)
                == (13...20).reversed().map { "http://127.0.0.1:\($0)/page/" }
        )
        let other = PageAddress(url: "http://127.0.0.1:1/page/", secret: ProxySecret())
        try other.store(in: self.folder.path)
        #expect(PageAddress.all(in: self.folder.path) == [other])
    }

    @Test("replaces a file that others could read with a private one")
    func replaced() throws {
        let path = self.folder.path(of: "page")
        try Data("old".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(PageAddress.stored(in: self.folder.path) == nil)
        let address = PageAddress(url: "http://127.0.0.1:1/page/", secret: ProxySecret())
        try address.store(in: self.folder.path)
        #expect(try Self.mode(path) == 0o600)
        #expect(PageAddress.stored(in: self.folder.path) == address)
    }

    @Test("in a file that others can read is ignored, since they may have read its secret")
    func readable() throws {
        let address = PageAddress(url: "http://127.0.0.1:1/page/", secret: ProxySecret())
        try address.store(in: self.folder.path)
        for mode in [0o604, 0o640, 0o644, 0o620, 0o666] {
            try self.setMode(mode)
            #expect(PageAddress.stored(in: self.folder.path) == nil)
        }
        for mode in [0o600, 0o400] {
            try self.setMode(mode)
            #expect(PageAddress.stored(in: self.folder.path) == address)
        }
    }

    private func setMode(_ mode: Int) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode],
            ofItemAtPath: self.folder.path(of: "page")
        )
    }

    @Test("with too short a secret is ignored")
    func short() throws {
        let secret = try #require(ProxySecret("short"))
        try PageAddress(url: "http://127.0.0.1:1/page/", secret: secret).store(in: self.folder.path)
        #expect(PageAddress.stored(in: self.folder.path) == nil)
    }

    @Test(
        "in a file of nonsense is ignored",
        arguments: ["", "x", "\u{FEFF}", "http://h/#"]
    )
    func nonsense(text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: self.folder.path(of: "page")))
        try self.setMode(0o600)
        #expect(PageAddress.stored(in: self.folder.path) == nil)
    }

    @Test("in a file that is not text is ignored")
    func binary() throws {
        try Data([0xFF, 0xFE, 0]).write(to: URL(filePath: self.folder.path(of: "page")))
        try self.setMode(0o600)
        #expect(PageAddress.stored(in: self.folder.path) == nil)
    }

    @Test("that cannot be saved is an error")
    func unwritable() throws {
        let file = self.folder.path(of: "file")
        try Data().write(to: URL(filePath: file))
        let address = PageAddress(url: "http://127.0.0.1:1/page/", secret: ProxySecret())
        #expect(throws: (any Error).self) { try address.store(in: "\(file)/weir") }
    }

    @Test("is the one that the user names, or the address of the server that started last")
    func named() throws {
        let environment = ProgramEnvironment([
            "HOME": self.folder.path, "XDG_CONFIG_HOME": self.folder.path(of: "c"),
        ])
        let text = "http://h/page/#\(Self.secret)"
        #expect(try PageAddress.named(text, environment).text == text)
        #expect {
            _ = try PageAddress.named("http://h/", environment)
        } throws: { ExitStatus(for: $0) == .usage }
        #expect {
            _ = try PageAddress.named(nil, environment)
        } throws: { "\($0)".contains("No weir serve with a page has started yet") }
        let address = PageAddress(url: "http://127.0.0.1:1/page/", secret: ProxySecret())
        try address.store(in: environment.configurationDirectory)
        #expect(try PageAddress.named(nil, environment) == address)
    }
}
