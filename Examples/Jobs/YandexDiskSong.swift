// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// A song on Yandex.Disk, by its path: `/Music/song.mp3`.
func songOnYandexDisk(at path: String, token: String, in library: MediaLibrary) -> Media {
    let disk = library.account("me").storage(.yandexDisk(token: token))
    return disk.media(path)
}
