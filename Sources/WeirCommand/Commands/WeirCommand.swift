// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct WeirCommand: AsyncParsableCommand {
    /// The version of the program.
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "weir",
        abstract: "Plays media while it downloads, from any source, in any player, and caches it.",
        discussion: """
            weir fetches a byte from the origin only if its cache does not hold that byte. It can send headers that \
            the player cannot send.

            EXAMPLES
              weir exec https://cloud.example/a.mp3 --header @headers.txt -- mpv {}
              weir serve https://cloud.example/music/ --header-env Authorization=TOKEN
              weir login yandex --client-id 0123456789abcdef
              weir exec yandex:/Music/a.mp3 -- mpv {}
              weir play yandex:/Music/Album
              weir radio add groove https://radio.example/groove.pls; weir play groove
              weir exec https://cdn.example/a.age --decrypt age --key-file a.key -- mpv {}

            THINGS
              A THING is a URL, a file or folder, or NAME:PATH of a source that
              ~/.config/weir/config.toml names, such as
                [sources.yandex]
                service = "yandex-disk"
              Other services: webdav, yandex-webdav, s3, http, files. weir ls lists the
              sources; Sources.md of the documentation shows every key.

            PLAYING
              weir play plays files, folders, playlists and radio stations. It accepts keys
              on a terminal (? shows them) and prints lines elsewhere; --json is for
              scripts. If the connection to a station is lost, weir connects again;
              --record saves the sound. weir radio gives stations names, which weir play,
              serve and exec accept as a THING.

            MONITORING
              weir serve has a page about its cache, fetches and players: weir open opens
              it, weir top shows the same in a terminal, weir stats prints the figures.

            ENCRYPTED FILES
              weir seal encrypts a file for publishing, as age or AES; --decrypt plays it,
              and the cache keeps it encrypted. In a [sources.NAME] section, --decrypt and
              its options are keys: decrypt = "age", key-file = "a.key".

            VARIABLES
              WEIR_CONFIG, WEIR_CACHE, WEIR_CACHE_LIMIT, WEIR_CACHE_RESERVE, WEIR_ACCOUNT,
              WEIR_CACHE_AGE, WEIR_KEEP, WEIR_REVALIDATE, WEIR_WHEN_GONE, WEIR_RETRY_FOR,
              WEIR_VALIDATOR, WEIR_READ_AHEAD, WEIR_LIMIT_RATE, WEIR_CA_FILE, WEIR_LISTEN,
              WEIR_LOG, WEIR_DECRYPT, WEIR_KEY_ENV, WEIR_KEY_FILE, WEIR_IV, WEIR_COUNTER,
              WEIR_PLAIN_HEADER, WEIR_PADDING, WEIR_KDF and WEIR_KEY_BITS set the options
              of the same names: WEIR_KEY_FILE sets --key-file. The command line overrides
              them, and they override the configuration. weir uses HTTP_PROXY, HTTPS_PROXY,
              ALL_PROXY and NO_PROXY.

            EXIT STATUS
              0    done
              1    failed
              2    wrong usage
              3    not found, on this machine or at the source; or no permission
              4    network
              5    the cache or its disk
              6    wrong content: damaged, changed, or encrypted with another key
              130  interrupted
            """,
        version: version,
        subcommands: [
            ServeCommand.self, SignCommand.self, ExecCommand.self, PlayCommand.self,
            GetCommand.self,
            ListCommand.self, InspectCommand.self, RadioCommand.self, SealCommand.self,
            CacheCommand.self, LogInCommand.self, LogOutCommand.self,
            AccountsCommand.self, OpenCommand.self, TopCommand.self, StatsCommand.self,
            DoctorCommand.self,
        ]
    )
}

extension ArgumentHelp {
    /// The help of an option or argument whose value has a name.
    static func value(_ name: String, _ text: String) -> ArgumentHelp {
        ArgumentHelp(text, valueName: name)
    }
}
