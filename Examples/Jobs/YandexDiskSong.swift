// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// A song on Yandex.Disk, by its path: `/Music/song.mp3`.
func songOnYandexDisk(at path: String, token: String, in library: MediaLibrary) throws -> Media {
    let disk = YandexDisk(
        name: "yandex",
        credentials: FixedCredential(token: token),
        api: try OriginURL(YandexDisk.api),
        client: library.serviceClient
    )
    let storage = library.storage(of: disk)
    return library.media(try FolderPath(path), in: storage, account: "me")
}
