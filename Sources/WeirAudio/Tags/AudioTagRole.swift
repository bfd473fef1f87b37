// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a listener calls a field, whatever kind of tag it is in.
///
/// The names are tried in their order; those of all kinds are in one list, since they do not collide.
enum AudioTagRole {
    static let title = ["TIT2", "TITLE", "\u{A9}nam", "INAM", "ETT"]
    static let artist = ["TPE1", "ARTIST", "\u{A9}ART", "IART", "EAR"]
    static let album = ["TALB", "ALBUM", "\u{A9}alb", "IPRD", "EAL"]
    static let albumArtist = ["TPE2", "ALBUMARTIST", "ALBUM ARTIST", "ALBUM_ARTIST", "aART"]
    static let composer = ["TCOM", "COMPOSER", "\u{A9}wrt", "IMUS"]
    static let genre = ["TCON", "GENRE", "\u{A9}gen", "gnre", "IGNR"]
    static let date = ["TDRC", "TDRL", "TYER", "DATE", "YEAR", "\u{A9}day", "ICRD"]
    static let track = ["TRCK", "TRACKNUMBER", "TRACK", "trkn", "ITRK", "IPRT"]
    static let trackTotal = ["TRACKTOTAL", "TOTALTRACKS"]
    static let disc = ["TPOS", "DISCNUMBER", "DISC", "disk"]
    static let discTotal = ["DISCTOTAL", "TOTALDISCS"]
    static let comment = ["COMM", "COMMENT", "DESCRIPTION", "\u{A9}cmt", "ICMT"]
    static let lyrics = ["USLT", "LYRICS", "UNSYNCEDLYRICS", "\u{A9}lyr", "LYR"]
}
