// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Words of a command that a person is to type.
enum ShellWord {
    /// A word, in quotes where a shell would take it apart.
    static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "_./@%+=:,-".utf8.contains(byte)
                }
            }
        return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }
}
