// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The root of the command line.
struct TestServersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "weir-test-servers",
        abstract: "Services on loopback for tests: strict, and wrong on demand.",
        discussion: """
            EXAMPLES
              A Yandex.Disk of a folder, with links that live five seconds:
                weir-test-servers yandex --folder ~/Music --link-life 5

              One that takes the next two links that are opened for expired:
                weir-test-servers yandex --fault 'link-gone*2'

              A radio station that answers as SHOUTcast does, at 128 kbit/s:
                weir-test-servers radio --rate 16000 --behaviour icy song.mp3
            """,
        version: "0.1.0",
        subcommands: [YandexCommand.self, RadioCommand.self]
    )
}
