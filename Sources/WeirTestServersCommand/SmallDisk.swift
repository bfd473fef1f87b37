// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestServers

/// What is served where no folder is given: a few files of patterned bytes.
enum SmallDisk {
    static let files: [String: ServedFile] = [
        "disk:/Music/one.mp3": .pattern(length: 1_000_000, seed: 1),
        "disk:/Music/two & a half.flac": .pattern(length: 3_000_000, seed: 2),
        "disk:/Музыка/песня.mp3": .pattern(length: 500_000, seed: 3),
        "disk:/empty.txt": .bytes([]),
        "disk:/hello.txt": .text("Hello.\n"),
    ]
}
