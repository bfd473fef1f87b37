// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirProxy

/// A playlist of the URLs under which `weir serve` serves what a source has.
struct Playlist {
    /// The first line of an extended playlist.
    static let header = "#EXTM3U"

    private let source: any ServedSource
    private let base: String

    /// - Throws: ``CommandError`` if the secret cannot be kept.
    init(
        _ source: any ServedSource,
        _ settings: ConfigurationSettings,
        _ surroundings: Surroundings
    ) throws {
        let address =
            try surroundings.value("WEIR_LISTEN", as: ListenAddress.self) ?? settings.listen
            ?? ListenAddress.standard
        let secret = try SecretStore(directory: surroundings.configurationDirectory).secret()
        self.source = source
        self.base = "http://\(address.playerHost):\(address.port)/\(secret.text)/\(source.name)"
    }

    /// Two lines for what can be played, none for anything else.
    func lines(_ entry: FolderEntry, at path: FolderPath) -> [String] {
        guard entry.kind == .file, Self.isMedia(entry) else { return [] }
        let title = entry.name.split(whereSeparator: \.isNewline).joined(separator: " ")
        return ["#EXTINF:-1,\(title)", "\(self.base)\(self.source.target(of: path.asFile))"]
    }

    private static func isMedia(_ entry: FolderEntry) -> Bool {
        let name = ResourceName(display: "", authority: "", fileName: entry.name)
        let type = name.fileExtension.flatMap { MediaType(fileExtension: $0) } ?? entry.mediaType
        return type?.isMedia == true
    }
}
