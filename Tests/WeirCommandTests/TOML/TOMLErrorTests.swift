// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirCommand

@Suite("Errors and positions of TOML")
struct TOMLErrorTests {
    @Test(
        "name line and column, and the fault",
        arguments: [
            ("keep", "1:5", "no = after it"),
            ("a = 1 b = 2", "1:7", "the line must end here"),
            ("\n a = \"x", "2:6", "no quote at its end"),
            ("a = \"x\ny\"", "1:5", "no quote at its end"),
            ("a = '''x\n", "1:5", "no quote at its end"),
            ("a = \"\\q\"", "1:6", "begins no escape"),
            ("a = \"\"\"\\ x\"\"\"", "1:8", "begins no escape"),
            ("a = \"\\u12\"", "1:6", "the 4 digits of a character"),
            ("a = \"\\uD800\"", "1:6", "the 4 digits of a character"),
            ("a = \"\\U00110000\"", "1:6", "the 8 digits of a character"),
            ("a = \"x\\u0000\"", "1:7", "the 4 digits of a character"),
            ("a = \"\u{1}\"", "1:6", "control character"),
            ("a = 1 # \u{7F}", "1:9", "control character"),
            ("a = 1\r", "1:6", "control character"),
            ("a = \0", "1:5", "there must be a value"),
            ("a = 0123", "1:5", "no leading 0"),
            ("a = -0_1", "1:5", "no leading 0"),
            ("a = 9223372036854775808", "1:5", "64 bits"),
            ("a = 0x8000000000000000", "1:5", "64 bits"),
            ("a = 1e999", "1:5", "64 bits"),
            ("a = 1979-05-27", "1:5", "dates"),
            ("a = 1979-05-27T07:32:00Z", "1:5", "dates"),
            ("a = 07:32:00", "1:5", "dates"),
            ("a = 12:32:00", "1:5", "dates"),
            ("a = 1__0", "1:7", "a digit is missing"),
            ("a = 1_", "1:7", "a digit is missing"),
            ("a = 1.", "1:7", "a digit is missing"),
            ("a = 1.e5", "1:7", "a digit is missing"),
            ("a = +", "1:6", "a digit is missing"),
            ("a = 0x", "1:7", "a digit is missing"),
            ("a = inf", "1:5", "there must be a value"),
            ("a = True", "1:5", "there must be a value"),
            ("a = ", "1:5", "there must be a value"),
            ("= 1", "1:1", "a key is missing"),
            ("a..b = 1", "1:3", "a key is missing"),
            ("\"\"\"a\"\"\" = 1", "1:1", "a key is missing"),
            ("é = 1", "1:1", "a key is missing"),
            ("a = [1 2]", "1:8", "commas"),
            ("a = [,]", "1:6", "there must be a value"),
            ("b = 1\na = [1,\n 2", "2:5", "commas"),
            ("a = { b = 1, }", "1:14", "a key is missing"),
            ("a = { b = 1", "1:12", "in its line"),
            ("a = { b = 1\n}", "1:12", "in its line"),
            ("[a", "1:3", "no ] after it"),
            ("[[a]\n", "1:5", "no ] after it"),
            ("[a] b = 1", "1:5", "the line must end"),
            ("[]", "1:1", "no name"),
            ("a = 1\n\n a = 2", "3:2", "already in line 1"),
            ("a = 1\na.b = 2", "2:1", "already in line 1"),
            ("a = { b = 1, b = 2 }", "1:14", "already in line 1"),
            ("a = {}\na.b = 1", "2:1", "already in line 1"),
            ("a = {}\n[a.b]", "2:1", "already in line 1"),
            ("[a]\n[a]", "2:1", "already in line 1"),
            ("[a]\n[[a]]", "2:1", "already in line 1"),
            ("[[a]]\n[a]", "2:1", "already in line 1"),
            ("a = []\n[[a]]", "2:1", "already in line 1"),
            ("a.b = 1\n[a]", "2:1", "already in line 1"),
            ("[a.b.d]\n[a]\nb.c = 1\n[a.b]", "4:1", "already in line 1"),
            ("[a.b]\n[[a]]", "2:1", "already in line 1"),
            ("[a]\n[a.b]\n[a.b.c]\n[a]", "4:1", "already in line 1"),
        ]
    )
    func sentences(_ text: String, _ position: String, _ part: String) {
        let error = #expect(throws: TOMLError.self) { try TOMLReader.read(text) }
        #expect(error?.position.description == position)
        #expect(error?.sentence.contains(part) == true, "\(error?.sentence ?? "")")
    }

    private static let text = """
        # a = 1
        a = "x = 1 # no comment" # b = 2
          spaced   =   'it'
        "quoted key" = 1
        list = [ # c = 1
          "[sources.x]", 'y',
          { inner = 1 },
        ]
        long = \"\"\"
        [not.a.section]
        n = 1 \\\"\"\" still \"\"\"\"\"
        raw = '''
        m = 1'''
        dotted . "key.s" = 1
        table = { "ä\u{1F600}" = 1, b = 2 }

        [ sources . cloud ] # [no]
        url = "u"
        [sources]
        [sources.film]
        life.time = 2
        """

    @Test(
        "keys and sections have the position of their start, in Unicode scalars",
        arguments: [
            (["a"], 2, 1), (["spaced"], 3, 3), (["quoted key"], 4, 1), (["list"], 5, 1),
            (["long"], 9, 1), (["raw"], 12, 1), (["dotted"], 14, 1), (["dotted", "key.s"], 14, 1),
            (["table"], 15, 1), (["table", "ä\u{1F600}"], 15, 11), (["table", "b"], 15, 21),
            (["sources"], 19, 1), (["sources", "cloud"], 17, 1),
            (["sources", "cloud", "url"], 18, 1), (["sources", "film"], 20, 1),
            (["sources", "film", "life", "time"], 21, 1),
        ] as [([String], Int, Int)]
    )
    func positions(_ path: [String], _ line: Int, _ column: Int) throws {
        for text in [Self.text, "\u{FEFF}\(Self.text.replacing("\n", with: "\r\n"))"] {
            var table = try TOMLReader.read(text)
            var position: TextPosition?
            for key in path {
                let entry = try #require(table.entries[key])
                position = entry.position
                if case .table(let inner) = entry.value { table = inner }
            }
            #expect(position == TextPosition(line: line, column: column))
        }
    }
}
