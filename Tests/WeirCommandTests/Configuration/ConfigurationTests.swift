// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirClouds
import WeirHTTP
import WeirLoader
import WeirProxy
import WeirSource

@testable import WeirCommand

@Suite("The configuration")
struct ConfigurationTests {
    private static let environment = ProgramEnvironment(["HOME": "/home/me", "TOKEN": "t"])

    private static func parse(
        _ text: String,
        isPrivate: Bool = false
    ) throws(CommandError) -> Configuration {
        try Configuration.parse(
            Array(text.utf8),
            file: "/etc/w/config.toml",
            isPrivate: isPrivate,
            self.environment
        )
    }

    private static let example = """
        listen = "127.0.0.1:4747"
        cache = "~/.cache/weir"
        cache-limit = "20GiB"
        cache-count = 100
        cache-age = "30d"
        cache-reserve = 1000
        keep = "whole"
        revalidate = "60s"
        ignore-cache-control = true
        when-gone = "refuse"
        retry-for = "5m"
        validator = "modified"
        read-ahead = "1MiB"
        limit-rate = "1MB"
        ca-file = "ca.pem"
        offline = false
        immutable = true
        allow-host = ["nas.local"]
        allow-cross-origin = ["https://app.example"]
        signing-keys = "keys"
        drain = "30s"
        proxy-protocol-from = ["10.0.0.0/8", "fd00::1"]

        [limits]
        connections = 4096
        client-connections = 8
        rate = "100MB"
        client-rate = 2000

        [tier]
        bucket = "fleet"
        region = "eu-central-1"
        root = "v1/"
        secret-file = "secret"
        upload-rate = "20MB"

        [sources.yandex]
        service = "yandex-disk"
        account = "me"
        root = "Music/"
        api = "http://127.0.0.1:1234"
        oauth = "http://127.0.0.1:1235/"
        requests-per-second = 5
        [sources.disk-dav]
        service = "yandex-webdav"
        user = "me"
        password-env = "PASSWORD"
        url = "http://127.0.0.1:9"
        [sources.cloud]
        service = "webdav"
        url = "https://cloud.example/remote.php/dav/files/me/?x=1"
        user = "me"
        password-file = "~/secret"
        auth = "digest"
        [sources.archive]
        service = "http"
        url = "https://archive.example/music/"
        header = ["X-Key: 1"]
        header-env = ["Authorization=TOKEN"]
        volatile-query = ["sig", "exp"]
        validator = "modified"
        account = "label"
        immutable = true
        [sources.film]
        service = "http"
        url-command = ["get-link", "{}"]
        url-life = "10m"
        [sources.home]
        service = "files"
        path = "~/Music"
        """

    @Test("settings replace options")
    func settings() throws {
        let settings = try Self.parse(Self.example).settings
        #expect(settings.listen == ListenAddress(host: "127.0.0.1", port: 4747))
        #expect(settings.cache == "/home/me/.cache/weir")
        #expect(settings.cacheLimit?.bytes == 20 << 30)
        #expect(settings.cacheCount == 100)
        #expect(settings.cacheAge == TimeSpan(argument: "30d"))
        #expect(settings.cacheReserve?.bytes == 1000)
        #expect(settings.prefetch == .whole)
        #expect(settings.revalidate == .after(.seconds(60)))
        #expect(settings.ignoreCacheControl == true)
        #expect(settings.whenGone == .refuse)
        #expect(settings.retryFor?.seconds == 300)
        #expect(settings.validator == .modified)
        #expect(settings.readAhead?.bytes == 1 << 20)
        #expect(settings.limitRate?.bytes == 1_000_000)
        #expect(settings.certificateFile == "/etc/w/ca.pem")
        #expect(settings.offline == false)
        #expect(settings.immutable == true)
        #expect(settings.allowedHosts == ["nas.local"])
        #expect(settings.allowedSites == ["https://app.example"])
        #expect(settings.signingKeys == "/etc/w/keys")
        #expect(settings.drain == TimeSpan(argument: "30s"))
        #expect(settings.balancers == ["10.0.0.0/8", "fd00::1"].compactMap { AddressRange($0) })
    }

    @Test("the settings of a service are read: its limits, its shared store and its request rates")
    func service() throws {
        let configuration = try Self.parse(Self.example)
        #expect(configuration.limits.connections == 4096)
        #expect(configuration.limits.clientConnections == 8)
        #expect(configuration.limits.rate?.bytes == 100_000_000)
        #expect(configuration.limits.clientRate?.bytes == 2000)
        let tier = try #require(configuration.tier)
        #expect(tier.bucket.bucket == "fleet")
        #expect(tier.bucket.root == "/v1")
        #expect(tier.uploadRate?.bytes == 20_000_000)
        #expect(configuration.requestsPerSecond == ["127.0.0.1": 5])
        let none = try Self.parse("")
        #expect(none.tier == nil)
        #expect(none.limits == ConfiguredLimits())
        #expect(none.requestsPerSecond.isEmpty)
    }

    @Test(
        "requests a second are counted for the host of each service",
        arguments: [
            ("service = \"yandex-disk\"\n", "cloud-api.yandex.net"),
            ("service = \"yandex-webdav\"\n", "webdav.yandex.ru"),
            ("service = \"s3\"\nbucket = \"b\"\n", "amazonaws.com"),
            (
                "service = \"s3\"\nbucket = \"b\"\nendpoint = \"https://s3.example/\"\n",
                "s3.example"
            ),
            ("service = \"webdav\"\nurl = \"https://cloud.example/dav/\"\n", "cloud.example"),
        ]
    )
    func ceilings(_ section: String, _ host: String) throws {
        let text = (1...2).map { "[sources.s\($0)]\n\(section)requests-per-second = \(3 * $0)\n" }
        #expect(try Self.parse(text.joined()).requestsPerSecond == [host: 3])
    }

    @Test("each source has its kind and its settings")
    func sources() throws {
        let configuration = try Self.parse(Self.example)
        #expect(
            configuration.sources.map(\.name)
                == ["archive", "cloud", "disk-dav", "film", "home", "yandex"]
        )
        let yandex = try configuration.source(named: "yandex")
        #expect(
            yandex.kind
                == .yandexDisk(
                    YandexDiskSettings(
                        access: .account("me"),
                        root: "/Music",
                        api: "http://127.0.0.1:1234",
                        oauth: "http://127.0.0.1:1235"
                    )
                )
        )
        #expect(yandex.account == "me")
        #expect(yandex.location == "/etc/w/config.toml:37:1")
        let disk = try configuration.source(named: "disk-dav").kind
        guard case .yandexWebDAV(let diskCredential, let diskURL, _) = disk else {
            Issue.record("disk-dav is no yandex-webdav")
            return
        }
        #expect(diskURL?.location() == "http://127.0.0.1:9/")
        #expect(diskCredential == .password(user: "me", .environment("PASSWORD")))
        let cloud = try configuration.source(named: "cloud").kind
        guard case .webDAV(let address, let credential, let scheme) = cloud else {
            Issue.record("cloud is no webdav")
            return
        }
        #expect(credential == .password(user: "me", .file("/home/me/secret")))
        #expect(scheme == .digest)
        #expect(address.location().hasSuffix("?x=1"))
        #expect("\(cloud)".contains("x=1") == false)
        let home = try configuration.source(named: "home")
        #expect(home.kind == .files(path: "/home/me/Music"))
    }

    @Test("a web server has headers, and a link command has arguments and a lifetime")
    func http() throws {
        let configuration = try Self.parse(Self.example)
        let archive = try configuration.source(named: "archive")
        guard case .http(_, let given, let variables) = archive.kind else {
            Issue.record("archive is no http")
            return
        }
        #expect(archive.isImmutable)
        #expect(archive.volatileQuery == ["sig", "exp"])
        #expect(archive.validator == .modified)
        #expect(archive.account == "label")
        let headers = try given.adding(variables, Self.environment)
        #expect(headers.contains("X-Key"))
        #expect(headers.contains("Authorization"))
        let error = #expect(throws: CommandError.self) {
            try given.adding(variables, ProgramEnvironment([:]))
        }
        #expect(error?.description.contains("TOKEN") == true)
        guard case .http(let film, _, _) = try configuration.source(named: "film").kind else {
            Issue.record("film is no http")
            return
        }
        #expect(film == .command(["get-link", "{}"], life: TimeSpan(argument: "10m")))
    }

    @Test("a missing setting has no value")
    func empty() throws {
        let configuration = try Self.parse("# nothing\n")
        #expect(configuration.settings == ConfigurationSettings())
        #expect(configuration.sources.isEmpty)
        let disk = try Self.parse("[sources]\ny = { service = \"yandex-disk\" }").sources[0]
        guard case .yandexDisk(let settings) = disk.kind else {
            Issue.record("y is no yandex-disk")
            return
        }
        #expect(settings.access == .account(nil))
        #expect(disk.account == nil)
        #expect(!disk.isImmutable)
    }

    @Test("an unknown source is an error with the nearest name")
    func unknownSource() throws {
        let configuration = try Self.parse(Self.example)
        let error = #expect(throws: CommandError.self) { try configuration.source(named: "yandx") }
        #expect(
            error?.description
                == "There is no source called 'yandx'; did you mean 'yandex'?"
                + " weir's sources are in /etc/w/config.toml."
        )
    }

    @Test("no description of the configuration shows a secret")
    func hidden() throws {
        let text = """
            [sources.a]
            service = "webdav"
            url = "https://u:hush1@c.example/?hush2"
            user = "me"
            password = "hush3"
            [sources.b]
            service = "http"
            url = "https://c.example/?hush4"
            header = ["Authorization: hush5"]
            [sources.c]
            service = "yandex-disk"
            token = "hush6"
            """
        let configuration = try Self.parse(text, isPrivate: true)
        var dumped = ""
        dump(configuration, to: &dumped)
        let all = "\(configuration)\(String(reflecting: configuration))\(dumped)"
        #expect(!all.contains("hush"))
        guard case .yandexDisk(let settings) = configuration.sources[2].kind,
            case .token(let secret) = settings.access
        else {
            Issue.record("c has no token")
            return
        }
        #expect(try secret.value(Self.environment) == "hush6")
    }
}
