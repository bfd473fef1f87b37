// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirHTTP

@Suite("Proxies from the environment")
struct ProxySettingsTests {
    private func proxy(_ environment: [String: String], _ url: String) throws -> String? {
        try ProxySettings(environment: environment).proxy(for: try OriginURL(url)).map {
            "\($0.kind == .http ? "" : "socks5 ")\($0.host):\($0.port)"
        }
    }

    @Test("are chosen by scheme, with lower case first")
    func areChosen() throws {
        let environment = [
            "HTTP_PROXY": "http://upper:1", "http_proxy": "lower:2",
            "HTTPS_PROXY": "http://[::1]:3/",
        ]
        #expect(try self.proxy(environment, "http://h/a") == "lower:2")
        #expect(try self.proxy(environment, "https://h/a") == "::1:3")
        #expect(try self.proxy(["HTTP_PROXY": "http://upper"], "http://h/a") == "upper:80")
        #expect(try self.proxy(["HTTP_PROXY": ""], "http://h/a") == nil)
        #expect(try self.proxy([:], "http://h/a") == nil)
        #expect(
            try self.proxy(["HTTP_PROXY": "x:1", "REQUEST_METHOD": "GET"], "http://h/a") == nil
        )
    }

    @Test("are the ones for all schemes if a scheme has no proxy of its own")
    func areForAll() throws {
        let environment = ["ALL_PROXY": "socks5h://all", "https_proxy": "own:1"]
        #expect(try self.proxy(environment, "http://h/a") == "socks5 all:1080")
        #expect(try self.proxy(environment, "https://h/a") == "own:1")
        #expect(
            try self.proxy(["all_proxy": "lower:1", "ALL_PROXY": "upper:2"], "http://h/a")
                == "lower:1"
        )
        // A variable that is set but empty means no proxy.
        #expect(try self.proxy(["HTTP_PROXY": "", "ALL_PROXY": "all:1"], "http://h/a") == nil)
        #expect(
            try self.proxy(["ALL_PROXY": "all:1", "NO_PROXY": "h"], "http://h/a") == nil
        )
    }

    @Test(
        "are not used for exceptions",
        arguments: [
            ("example.org", "example.org", 80, true), ("example.org", "www.example.org", 80, true),
            (".example.org", "www.example.org", 80, true),
            (".example.org", "example.org", 80, true),
            ("*.example.org", "www.example.org", 80, true),
            ("example.org", "notexample.org", 80, false),
            ("EXAMPLE.org", "example.org", 80, true),
            ("a.b, example.org ,c", "example.org", 80, true),
            ("a.b example.org", "example.org", 80, true),
            ("example.org:81", "example.org", 81, true),
            ("example.org:81", "example.org", 80, false), ("*", "anything", 80, true),
            ("a,*", "anything", 80, true), ("10.0.0.1", "10.0.0.1", 80, true),
            ("10.0.0.1", "110.0.0.1", 80, false), ("[::1]", "::1", 80, true),
            ("::1", "::1", 80, true), ("[::1]:81", "::1", 80, false), ("", "h", 80, false),
            (",,. ,", "h", 80, false), ("h:x", "h", 80, false),
        ]
    )
    func arePassedBy(_ list: String, _ host: String, _ port: Int, _ isException: Bool) throws {
        let settings = try ProxySettings(environment: ["no_proxy": list])
        #expect(settings.isException(host: host, port: port) == isException)
    }

    @Test(
        "that cannot be used are refused with their variable's name",
        arguments: [
            "socks5://u:s3cret@h:1", "socks4://s3cret:1", "https://s3cret@h:1", "://",
            "http://s3cret h",
        ]
    )
    func areRefused(_ value: String) {
        let error = #expect(throws: SourceError.self) {
            try ProxySettings(environment: ["HTTPS_PROXY": value])
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("HTTPS_PROXY") == true)
        #expect(error?.message.contains("s3cret") == false)
    }

    @Test("show no user")
    func showNoUser() throws {
        let settings = try ProxySettings(environment: ["HTTP_PROXY": "http://me:s3cret@h:1"])
        #expect("\(settings)" == "http h:1, https none")
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!dumped.contains("s3cret"))
    }
}
