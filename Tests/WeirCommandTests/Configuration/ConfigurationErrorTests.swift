// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirCommand

@Suite("Errors of the configuration")
struct ConfigurationErrorTests {
    private static func failure(_ text: String, isPrivate: Bool = false) -> CommandError? {
        do throws(CommandError) {
            _ = try Configuration.parse(
                Array(text.utf8),
                file: "c.toml",
                isPrivate: isPrivate,
                ProgramEnvironment(["HOME": "/home/me"])
            )
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "name file, line and column, and the expected value",
        arguments: [
            ("keep", "c.toml:1:5: the key has no =", "keep = \"whole\""),
            ("keep = \"whole", "c.toml:1:8: this text has no quote", ""),
            ("keep = 0123", "c.toml:1:8: a number has", "quote"),
            ("a = \n", "c.toml:1:5: there must be a value", "a text in quotes"),
            ("x = 1\nlisten = yes\n", "c.toml:2:10: there must be a value", "quotes"),
            ("a = [1, }]", "c.toml:1:9: there must be a value", "quotes"),
            ("a = 1979-05-27T", "c.toml:1:5: a number has", "dates"),
            ("a = { b = inf }", "c.toml:1:11: there must be a value", "quotes"),
            ("keep = \"whole\"\nkeep = \"whole\"", "c.toml:2:1: this key is already in line 1", ""),
            ("\nlisten = 4747", "c.toml:2:1: listen must be", "\"127.0.0.1:4747\""),
            ("cache-limit = \"much\"", "c.toml:1:1: cache-limit must be a size", "20GB"),
            ("cache-limit = 1.5", "cache-limit must be a size", "20GB"),
            ("cache-limit = -1", "cache-limit must be a size", "20GB"),
            ("cache-age = \"1y\"", "cache-age must be a time", "30d"),
            ("cache-count = 0", "cache-count must be a whole number", "1 or more"),
            ("cache-count = \"5\"", "cache-count must be a whole number", "without quotes"),
            ("keep = \"all\"", "keep must be", "\"played\""),
            ("when-gone = \"keep\"", "when-gone must be", "\"refuse\""),
            ("retry-for = 5", "retry-for must be a time", "5m"),
            ("validator = \"date\"", "validator must be", "\"modified\""),
            ("ignore-cache-control = 1", "ignore-cache-control must be", "true"),
            ("revalidate = true", "revalidate must be", "\"never\""),
            ("limit-rate = 0", "limit-rate must be more than 0", "leave it out"),
            ("drain = 5", "drain must be a time", "30s"),
            ("signing-keys = \"\"", "signing-keys must be a path", ""),
            (
                "proxy-protocol-from = \"10.0.0.1\"", "proxy-protocol-from must be a list",
                "10.0.0.5"
            ),
            (
                "proxy-protocol-from = [\"10.0.0.1/8\"]",
                "has '10.0.0.1/8', which is not an address",
                "10.0.0.0/8"
            ),
            ("[limits]\nrates = 1", "limits.rates is not a known key", "did you mean rate?"),
            ("[limits]\nrate = 0", "limits.rate must be more than 0", "leave it out"),
            (
                "[limits]\nclient-connections = 0",
                "limits.client-connections must be a whole number", "1 or more"
            ),
            ("[tier]\nregion = \"x\"", "tier has no bucket", "bucket ="),
            ("[tier]\nbucket = \"x\"", "tier has no secret", "secret-file"),
            (
                "[tier]\nbucket = \"x\"\nsecret-env = \"S\"\nupload-rate = 0",
                "tier.upload-rate must be more than 0",
                "leave it out"
            ),
            (
                "[sources.a]\nservice = \"files\"\npath = \"/\"\nrequests-per-second = 1",
                "sources.a.requests-per-second does not apply", "this computer"
            ),
            (
                "[sources.a]\nservice = \"yandex-disk\"\nrequests-per-second = 0",
                "sources.a.requests-per-second must be a whole number", "1 or more"
            ),
            ("offline = \"yes\"", "offline must be true or false", ""),
            ("allow-host = \"nas\"", "allow-host must be a list", "[\"nas.local\"]"),
            ("allow-host = [1]", "allow-host must be a list", "[\"nas.local\"]"),
            ("ca-file = \"\"", "ca-file must be a path", ""),
            ("\n[=]", "c.toml:2:1: this section has no name", "[sources.NAME]"),
            ("[\n]", "c.toml:1:1: this section has no name", "[sources.NAME]"),
            (" [[ #", "c.toml:1:2: this section has no name", "[sources.NAME]"),
            ("[.a]", "c.toml:1:1: this section has no name", "[sources.NAME]"),
            ("[", "c.toml:1:1: this section has no name", "[sources.NAME]"),
            ("cach = \"x\"", "c.toml:1:1: cach is not a known key", "did you mean cache?"),
            ("wholly = 1", "wholly is not a known key", "cache-limit"),
            ("[source.x]", "c.toml:1:1: source is not a known key", "did you mean sources?"),
            ("sources = 1", "sources must be a section", "[sources]"),
            ("[sources]\nx = 1", "c.toml:2:1: sources.x must be a section", "[sources.x]"),
            ("[sources.x]", "c.toml:1:1: sources.x has no service", "webdav"),
            ("[sources.\"a b\"]", "is not a source name", "letters"),
            ("[sources.origin2]", "has another meaning", "another name"),
            ("[sources.http]", "has another meaning", "another name"),
            (
                "[sources.x]\nservice = \"yandex\"",
                "c.toml:2:1: sources.x.service is not a service",
                "yandex-disk, yandex-webdav, webdav, s3, http, files"
            ),
            (
                "[sources.x]\nservice = \"webdaw\"", "sources.x.service is not a service",
                "did you mean \"webdav\"?"
            ),
        ]
    )
    func locations(_ text: String, _ start: String, _ part: String) {
        let error = Self.failure(text)
        #expect(error?.status == .usage)
        #expect(error?.description.contains(start) == true, "\(error?.description ?? "no error")")
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "no error")")
        #expect(error?.description.hasSuffix(".") == true || part.hasSuffix("?"))
    }

    @Test(
        "in a source",
        arguments: [
            ("webdav", "user = \"me\"", "2:1: sources.x has no url"),
            ("webdav", "url = 5", "sources.x.url must be a text in quotes"),
            ("webdav", "url = \"ftp://x/\"", "sources.x.url must be an http or https URL"),
            ("webdav", "url = \"http://h/\"\nuser = \"me\"", "has no password"),
            ("webdav", "url = \"http://h/\"\npassword-env = \"P\"", "has no user"),
            (
                "webdav",
                "url = \"http://h/\"\nuser = \"u\"\npassword-env = \"P\"\npassword-file = \"f\"",
                "7:1: sources.x.password-file contradicts password-env"
            ),
            (
                "webdav", "url = \"http://h/\"\ntoken-env = \"T\"\nuser = \"u\"",
                "6:1: sources.x.user contradicts the token"
            ),
            ("webdav", "url = \"http://h/\"\nauth = \"ntlm\"", "sources.x.auth must be"),
            ("webdav", "url = \"http://h/\"\nauth = \"bearer\"", "sources.x.auth is for a token"),
            (
                "webdav", "url = \"http://h/\"\ntoken-env = \"T\"\nauth = \"basic\"",
                "sources.x.auth is for a user"
            ),
            (
                "webdav", "urll = \"http://h/\"",
                "sources.x.urll is not a known key; did you mean url?"
            ),
            (
                "yandex-disk", "account = \"me\"\ntoken-env = \"T\"",
                "4:1: sources.x.account contradicts the token"
            ),
            (
                "yandex-disk", "account = \"me\"\npublic-key = \"k\"",
                "sources.x.public-key contradicts account"
            ),
            ("yandex-disk", "account = 5", "sources.x.account must be a name"),
            (
                "yandex-webdav", "account = \"me\"\nuser = \"u\"\npassword-env = \"P\"",
                "sources.x.account contradicts the token or password"
            ),
            ("http", "", "sources.x has no url"),
            ("http", "url = \"http://h/\"\nurl-command = [\"a\"]", "contradicts url"),
            ("http", "url = \"http://h/\"\nurl-life = \"1m\"", "needs a url-command"),
            ("http", "url-command = []", "sources.x.url-command must be a list of words"),
            ("http", "url-command = [\"a\"]\nurl-life = \"soon\"", "sources.x.url-life must be"),
            (
                "http", "url = \"http://h/\"\nheader = [\"X\"]",
                "sources.x.header has an invalid header"
            ),
            (
                "http", "url = \"http://h/\"\nheader-env = [\"X: Y\"]",
                "sources.x.header-env must be"
            ),
            ("http", "url = \"http://h/\"\nimmutable = 1", "sources.x.immutable must be true"),
            ("files", "", "sources.x has no path"),
            ("files", "path = \"/a\"\nurl = \"b\"", "sources.x.url is not a known key"),
        ]
    )
    func ofSources(_ service: String, _ keys: String, _ part: String) {
        let text = "\n[sources.x]\nservice = \"\(service)\"\n\(keys)"
        let error = Self.failure(text)
        #expect(error?.description.contains(part) == true, "\(error?.description ?? "no error")")
        #expect(error?.status == .usage)
    }

    @Test(
        "a secret is accepted only in a file that only its owner can read, and is never repeated",
        arguments: [
            "service = \"yandex-disk\"\ntoken = \"hush\"",
            "service = \"webdav\"\nurl = \"http://h/\"\nuser = \"u\"\npassword = \"hush\"",
            "service = \"http\"\nurl = \"http://u:hush@h/\"",
            "service = \"http\"\nurl = \"http://h/\"\nheader = [\"Authorization: hush\"]",
            "service = \"http\"\nurl = \"http://h/\"\nheader = [\"cookie: hush\"]",
        ]
    )
    func secrets(_ keys: String) {
        let text = "[sources.x]\n\(keys)"
        #expect(Self.failure(text, isPrivate: true) == nil)
        let error = Self.failure(text)
        #expect(error?.description.contains("chmod 600 c.toml") == true)
        #expect(error?.description.contains("hush") == false)
    }

    @Test("no truncation and no broken secret shows the secret")
    func broken() {
        let text = """
            [sources.x]
            service = "webdav"
            url = "https://u:zqz1@h.example/?zqz2"
            user = "u"
            password = "zqz3\\"zqz4"
            header = ["Authorization: zqz5"]
            """
        for isPrivate in [true, false] {
            for end in 0...text.count {
                let error = Self.failure(String(text.prefix(end)), isPrivate: isPrivate)
                #expect(error?.description.contains("zq") != true, "\(error?.description ?? "")")
            }
        }
        for wrong in [
            "token = zqz1", "token = 'zqz1", "token = \"zqz1\\q\"", "token = \"\"\"zqz1",
            "token = zqz1=", "token: zqz1", "token = [zqz1", "token = 2026-zq", "token = 0xzq",
        ] {
            let error = Self.failure("[sources.x]\n\(wrong)\n", isPrivate: true)
            #expect(error?.description.contains("c.toml:2:") == true, "\(wrong)")
            #expect(error?.description.contains("zq") == false, "\(error?.description ?? "")")
        }
    }

    @Test("any bytes give a configuration or an error", arguments: 0..<10)
    func anything(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "[", "]", "{", "}", "=", ".", ",", "\"", "'", "#", "\\", "\n", " ", "a", "1", "-", "_",
            "+", "e", "x", "0", ":", "T", "true", "inf", "\"\"\"", "'''", "\r\n", "\t", "é", "u",
            "1979-05-27", "07:32:00", "a=", "a.b=", "[a]\n", "\n[[a]]\n", "\u{1}", "\u{FEFF}",
            "99999999999999999999", "1_0", "0x", "1e999", "\\u", "sources", "\u{2003}", "\u{0}",
        ]
        for _ in 0..<500 {
            let count = Int.random(in: 0..<14, using: &generator)
            let text = (0..<count).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &generator)]
            }
            _ = Self.failure(text.joined())
        }
        #expect(throws: CommandError.self) {
            try Configuration.parse(
                [0x61, 0xFF],
                file: "c",
                isPrivate: true,
                ProgramEnvironment([:])
            )
        }
    }
}
