// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache

@testable import WeirConsole

@Suite("The actions of a page")
struct ConsoleActionTests {
    private static let id = "0123456789abcdef0123456789abcdef"

    @Test("an action is its name and its resource")
    func names() {
        let query = "resource=\(Self.id)"
        let expected: [String: ConsoleAction] = [
            "play": .play(Self.id), "pin": .pin(Self.id, true), "unpin": .pin(Self.id, false),
            "verify": .verify(Self.id), "export": .export(Self.id),
            "fetch": .fetch(Self.id), "remove": .remove(Self.id),
        ]
        for (name, action) in expected {
            #expect(ConsoleAction(name, query: query) == action)
            #expect(ConsoleAction(name, query: "x=1&\(query)&resource=other") == action)
            #expect(
                ConsoleAction(name, query: query.replacing(Self.id, with: Self.id.uppercased()))
                    == action
            )
            #expect(ConsoleAction(name, query: "resource=%30\(Self.id.dropFirst())") == action)
        }
    }

    @Test(
        "an unknown action, or one without its resource, is refused",
        arguments: [
            ("Pin", "resource=\(Self.id)"), ("", "resource=\(Self.id)"),
            ("removeAll", "resource=\(Self.id)"), ("pin/", "resource=\(Self.id)"),
            ("pin", nil), ("pin", ""), ("pin", "resource"), ("pin", "resource="),
            ("pin", "resource=short"), ("pin", "resource=\(Self.id)0"), ("pin", "=\(Self.id)"),
            ("pin", "Resource=\(Self.id)"), ("pin", "&&&"), ("pin", "resource=%00"),
            ("pin", "resource=short&resource=\(Self.id)"),
        ] as [(String, String?)]
    )
    func missing(name: String, query: String?) {
        #expect(ConsoleAction(name, query: query) == nil)
    }

    @Test("the named limits change, and others stay")
    func limits() throws {
        let all: [(String, CacheLimits)] = [
            ("bytes=100", CacheLimits(byteCount: 100, resourceCount: 3, age: .seconds(60))),
            ("bytes=none", CacheLimits(byteCount: nil, resourceCount: 3, age: .seconds(60))),
            ("age=5", CacheLimits(byteCount: 9, resourceCount: 3, age: .seconds(5))),
            ("age=none&bytes=0", CacheLimits(byteCount: 0, resourceCount: 3, age: nil)),
            ("bytes=1&bytes=2", CacheLimits(byteCount: 1, resourceCount: 3, age: .seconds(60))),
            (
                "bytes=\(Int64.max)",
                CacheLimits(byteCount: .max, resourceCount: 3, age: .seconds(60))
            ),
        ]
        for (query, expected) in all {
            let action = try #require(ConsoleAction("limits", query: query), "\(query)")
            guard case .limits(let change) = action else {
                Issue.record("\(query) is \(action)")
                continue
            }
            var limits = CacheLimits(byteCount: 9, resourceCount: 3, age: .seconds(60))
            change.apply(to: &limits)
            #expect(limits == expected, "\(query)")
        }
    }

    @Test(
        "a limit that is not a number, or is unknown, makes the action invalid",
        arguments: [
            nil, "", "bytes", "bytes=", "bytes=-1", "bytes=1.5", "bytes=0x10", "bytes=1e3",
            "bytes=99999999999999999999", "bytes=%201", "bytes=None",
            "age=-1", "age=", "resources=5", "bytes=1&reserve=2", "bytes=1&x", "Bytes=1",
        ]
    )
    func wrongLimits(query: String?) {
        #expect(ConsoleAction("limits", query: query) == nil)
    }

    @Test(
        "a query with wrong percent-encoding is refused, and does not trap",
        arguments: [
            "resource=%", "resource=%zz", "resource=%4", "resource=\"", "resource=<b>",
            "resource=a b", "resource=é", "resource=[x]", "resource=^`{|}\\", "resource=#x",
        ]
    )
    func notEncoded(query: String) {
        #expect(ConsoleAction("pin", query: query) == nil)
        #expect(ConsoleAction("limits", query: query) == nil)
    }
}
