// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import WeirClouds
import WeirHTTP
import WeirProxy
import WeirSource

struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Make a URL of weir serve that expires.",
        discussion: """
            A URL with the server's secret opens everything that the server serves, without a time limit. A signed URL \
            opens one file, or one folder with its content (its path ends with a slash), for the time of --for. After \
            that, an open connection continues, and a new connection gets 403. Every weir serve with the same keys \
            accepts the URL. The keys are in the file that the configuration names as signing-keys, or else in \
            signing-keys in the configuration folder; weir creates this file with the first URL. The first key of the \
            file signs, and all its keys are valid. To replace a key, put a new line before it, and remove the old \
            line when its URLs have expired. weir serve reads the keys when it starts, and on SIGHUP.

            EXAMPLES
              weir sign cloud:/Films/Quay.mp4 --for 6h
              weir sign cloud:/Music/Live/ --for 30d --base https://media.example/
            """
    )

    @Argument(
        help: .value(
            "place",
            "NAME:/PATH of a source, a station, or a URL that weir serve printed."
        ),
        completion: Completions.things
    )
    var place: String

    @Option(
        name: .customLong("for"),
        help: .value("time", "How long the URL is valid. (default: 24h)"),
        transform: TimeSpan.read
    )
    var life: TimeSpan?

    @Option(
        help: .value(
            "url",
            "The server's URL for players. (default: http:// and the address that weir serve listens on)"
        )
    )
    var base: String?

    @OptionGroup var folder: ConfigurationOption
    @OptionGroup(title: "Output") var output: SpeechOptions

    func run() throws {
        let environment = ProgramEnvironment()
        let configuration = try self.folder.load(environment)
        let (target, server) = try self.target(environment, configuration)
        let path = configuration.signingKeyFile(environment)
        guard let keys = try SigningKeys.stored(in: path, making: true) else { return }
        let end = WallClock.seconds().addingClamped(self.life?.seconds ?? 86_400)
        guard let signed = keys.signed(target, until: end) else {
            throw CommandError.usage(
                "'\(self.place)' contains '..', or has too many folders; name the file or the folder itself."
            )
        }
        let url = "\(server)\(signed)"
        if self.output.json {
            try Output.json([
                "event": "signed", "url": url,
                "until": Date(timeIntervalSince1970: TimeInterval(end)).formatted(.iso8601),
            ])
        } else {
            Output.print(url)
        }
    }

    /// The target to sign, and the server's URL without a slash at its end.
    private func target(
        _ environment: ProgramEnvironment,
        _ configuration: Configuration
    ) throws -> (target: String, server: String) {
        if self.place.contains("://") {
            let url = try OriginURL(self.place)
            let target = url.requestTarget.dropFirst()
            let first = target.prefix { $0 != "/" }
            // Remove the secret of a server or the signature of another URL, if there is one.
            let isSecret =
                first.hasPrefix("~") || first.count == 32 && first.allSatisfy(\.isHexDigit)
            let path = isSecret ? target.dropFirst(first.count + 1) : target
            guard path.utf8.contains(where: { $0 != UInt8(ascii: "/") }) else {
                throw CommandError.usage(
                    "This URL names no file or folder; add the path of one."
                )
            }
            return ("/\(path)", try self.server ?? "\(url.scheme.rawValue)://\(url.authority)")
        }
        let address =
            try environment.value("WEIR_LISTEN") ?? configuration.settings.listen
            ?? ListenAddress.standard
        let standard = "http://\(address.playerHost):\(address.port)"
        let parts = self.place.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard parts.count == 2 else {
            guard try StationList.read(environment)[name] != nil else {
                throw CommandError.usage(
                    "'\(self.place)' is not a station; name NAME:/PATH of a source, or a URL that weir serve printed."
                )
            }
            return ("/\(name)\(NamedStation.target)", try self.server ?? standard)
        }
        _ = try configuration.source(named: name)
        let path = try FolderPath(parts[1].hasPrefix("/") ? String(parts[1]) : "/\(parts[1])")
        return ("/\(name)\(ServedPath.encoded(path))", try self.server ?? standard)
    }

    /// The value of ``base`` without a slash at its end.
    private var server: String? {
        get throws {
            guard let base else { return nil }
            let url = try OriginURL(base.hasSuffix("/") ? base : "\(base)/")
            var text = "\(url.scheme.rawValue)://\(url.authority)\(url.path)"
            while text.hasSuffix("/") { text.removeLast() }
            return text
        }
    }
}

extension Configuration {
    /// The file of the keys that sign URLs.
    func signingKeyFile(_ environment: ProgramEnvironment) -> String {
        self.settings.signingKeys ?? "\(environment.configurationDirectory)/signing-keys"
    }
}
