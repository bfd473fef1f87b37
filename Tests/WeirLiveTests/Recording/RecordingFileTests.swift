// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirLive

/// Names of files, whatever the station sends.
@Suite struct RecordingFileTests {
    private static func name(_ title: String?, number: Int = 1, station: String = "Radio") -> String
    {
        RecordingFile(number: number, title: title, fileExtension: "mp3").name(station: station)
    }

    @Test(
        "A title becomes a name that is safe everywhere",
        arguments: [
            ("Artist - Title", "01 Artist - Title.mp3"),
            ("../../etc/passwd", "01 _.._etc_passwd.mp3"),
            ("/", "01 _.mp3"),
            ("..", "01 Radio.mp3"),
            (". . .", "01 Radio.mp3"),
            ("", "01 Radio.mp3"),
            ("  \n\t ", "01 Radio.mp3"),
            ("a\nb\r\n\u{0}c\u{1B}[31m", "01 a b c[31m.mp3"),
            ("..hidden..", "01 hidden.mp3"),
            ("Who? \"You\": <me>|*\\", "01 Who_ 'You'_ _me____.mp3"),
            ("evil\u{202E}3pm.exe", "01 evil3pm.exe.mp3"),
            ("Motörhead - Öl", "01 Motörhead - Öl.mp3"),
        ]
    )
    func names(title: String, name: String) {
        #expect(Self.name(title) == name)
    }

    @Test(
        "Without a title the file has the name of the station, and without a name it is a recording"
    )
    func fallback() {
        #expect(Self.name(nil) == "01 Radio.mp3")
        #expect(
            Self.name(nil, station: "../..") == "01 _.mp3"
                || Self.name(nil, station: "/./") == "01 _._.mp3"
        )
        #expect(Self.name("", number: 123, station: "...") == "123 Recording.mp3")
        #expect(Self.name("..", station: "") == "01 Recording.mp3")
    }

    @Test("No name is longer than 200 bytes, or cut within a character's bytes")
    func length() {
        for letter in ["x", "é", "語", "🎵", "e\u{301}"] {
            for count in [40, 49, 50, 63, 64, 65, 97, 195, 196, 197, 1000, 4080] {
                let title = String(repeating: letter, count: count)
                for copy in [1, 2, 9999] {
                    let file = RecordingFile(number: 7, title: title, fileExtension: "mp3")
                    let name = file.name(station: "Radio", copy: copy)
                    #expect(name.utf8.count <= 200)
                    #expect(name.hasSuffix(copy == 1 ? ".mp3" : " (\(copy)).mp3"))
                    #expect(name.unicodeScalars.allSatisfy { $0 != "\u{FFFD}" })
                    #expect(name.utf8.count > 190 || title.utf8.count < 196)
                }
            }
        }
    }

    @Test("No Unicode scalar puts a separator, a control character or a leading dot into a name")
    func everyScalar() {
        var isSafe = true
        let values =
            Array(UInt32(0)...0x30FF)
            + Array(stride(from: UInt32(0x3100), through: 0x10FFFF, by: 97))
        for value in values {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let name = Self.name(String(scalar))
            for scalar in name.unicodeScalars {
                let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
                isSafe = isSafe && !isControl && scalar != "/" && scalar != "\\"
            }
            let bytes = Array(name.utf8)
            isSafe = isSafe && bytes.starts(with: "01 ".utf8) && bytes.count > 7
            isSafe = isSafe && bytes.suffix(4).elementsEqual(".mp3".utf8)
        }
        #expect(isSafe)
    }
}
