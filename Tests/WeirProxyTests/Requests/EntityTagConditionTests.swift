// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirProxy

@Suite("Conditions with entity tags")
struct EntityTagConditionTests {
    private let tag = ServedEntityTag.generation(GenerationID(rawValue: 0xABC))

    @Test(
        "a list is compared strongly or weakly",
        arguments: [
            (#""0000000000000abc""#, true, true),
            (#"W/"0000000000000abc""#, false, true),
            (#""x", "0000000000000abc""#, true, true),
            (#""x,y" ,, "0000000000000abc","#, true, true),
            (#" "0000000000000abc" "#, true, true),
            ("*", true, true),
            (" * ", true, true),
            (#""0000000000000ABC""#, false, false),
            ("0000000000000abc", false, false),
            (#""""#, false, false),
            ("", false, false),
            (",", false, false),
            ("*, *", false, false),
            (#""0000000000000abc"#, false, false),
            (#"w/"0000000000000abc""#, false, false),
            (#""x" "0000000000000abc""#, false, false),
            (#""0000000000000abc" rest"#, true, true),
        ]
    )
    func list(value: String, strongly: Bool, weakly: Bool) {
        let condition = EntityTagCondition(value)
        #expect(condition.holdsStrongly(for: self.tag) == strongly)
        #expect(condition.holdsWeakly(for: self.tag) == weakly)
    }

    @Test("a resource without a generation matches the asterisk, and no name")
    func withoutGeneration() {
        #expect(EntityTagCondition("*").holdsStrongly(for: nil))
        #expect(EntityTagCondition("*").holdsWeakly(for: nil))
        #expect(!EntityTagCondition(#""0000000000000abc""#).holdsStrongly(for: nil))
        #expect(!EntityTagCondition(#""0000000000000abc""#).holdsWeakly(for: nil))
    }

    @Test(
        "If-Range accepts one strong tag",
        arguments: [
            (#""0000000000000abc""#, true),
            (#"W/"0000000000000abc""#, false),
            (#""0000000000000abc", "x""#, false),
            ("*", false),
            ("Sat, 21 Nov 2026 03:32:59 GMT", false),
            ("", false),
        ]
    )
    func ifRange(value: String, isCurrent: Bool) {
        #expect(EntityTagCondition.isCurrent(ifRange: value, self.tag) == isCurrent)
        #expect(!EntityTagCondition.isCurrent(ifRange: value, nil))
    }

    @Test("the origin's own tag is compared unchanged")
    func origin() {
        let tag = ServedEntityTag.origin(#""a,b-1""#)
        #expect(EntityTagCondition(#""x", "a,b-1""#).holdsStrongly(for: tag))
        #expect(EntityTagCondition(#"W/"a,b-1""#).holdsWeakly(for: tag))
        #expect(!EntityTagCondition(#"W/"a,b-1""#).holdsStrongly(for: tag))
        #expect(EntityTagCondition.isCurrent(ifRange: #""a,b-1""#, tag))
        #expect(!EntityTagCondition.isCurrent(ifRange: #""a""#, tag))
    }
}
