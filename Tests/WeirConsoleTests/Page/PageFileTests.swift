// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirProxy

@testable import WeirConsole

@Suite("The files of the page")
struct PageFileTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/WeirConsole/Page")

    @Test("are the files of the folder, all of them and byte for byte")
    func all() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(names.count > 20)
        let paths = names.map { $0 == "index.html" ? "/" : "/\($0)" }
        #expect(Set(PageFile.all.keys) == Set(paths))
        for name in names {
            let bytes = try Data(contentsOf: Self.folder.appending(path: name))
            let file = PageFile.all[name == "index.html" ? "/" : "/\(name)"]
            let isEqual = file.map { Data($0.bytes) } == bytes
            #expect(isEqual, "\(name)")
        }
    }

    @Test("have the type that a browser expects")
    func types() {
        for (path, file) in PageFile.all {
            let type =
                switch path.split(separator: ".").last {
                case "js": "text/javascript; charset=utf-8"
                case "css": "text/css; charset=utf-8"
                default: "text/html; charset=utf-8"
                }
            #expect(file.type == type, "\(path)")
            #expect(file.answer.status == 200)
        }
    }

    @Test("load and name only one another")
    func references() throws {
        for (path, file) in PageFile.all {
            let text = String(decoding: file.bytes, as: UTF8.self)
            #expect(text.utf8.elementsEqual(file.bytes), "\(path) is UTF-8")
            let imports = text.matches(of: /(?:from|import) "\.\/([\w.-]+)"/).map(\.output.1)
            for name in imports { #expect(PageFile.all["/\(name)"] != nil, "\(path): \(name)") }
            #expect(!text.contains("https://"), "\(path) loads nothing from elsewhere")
        }
        let index = String(decoding: try #require(PageFile.all["/"]).bytes, as: UTF8.self)
        let links = index.matches(of: /(?:src|href)="([^"#:]+)"/).map(\.output.1)
        #expect(!links.isEmpty)
        for link in links { #expect(PageFile.all["/\(link)"] != nil, "\(link)") }
        // The content policy of every response forbids inline scripts and styles.
        #expect(!index.contains("<style"))
        #expect(index.matches(of: /<[^>]*\son\w+=/).isEmpty)
        #expect(index.matches(of: /<script[^>]*>/).allSatisfy { $0.output.contains(" src=") })
    }
}
