// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirCache

@Suite("The files of a directory that was not closed")
struct DirectorySurveyTests {
    private static let resource = ResourceID(high: 1, low: 1)

    private static func survey(
        _ files: [(UInt64, [StoredFileName.Kind])]
    ) -> DirectorySurvey {
        var survey = DirectorySurvey()
        for (generation, kinds) in files {
            for kind in kinds {
                survey.found(
                    StoredFileName(Self.resource, GenerationID(rawValue: generation), kind)
                )
            }
        }
        return survey
    }

    private static func known(_ generation: UInt64, isChanging: Bool) -> KnownGeneration {
        KnownGeneration(
            id: Self.resource,
            generation: GenerationID(rawValue: generation),
            heldCount: 10,
            lastUse: 1,
            isPinned: false,
            isChanging: isChanging
        )
    }

    private static func leftover(_ generation: UInt64) -> DirectorySurvey.Leftover {
        .init(resource: Self.resource, generation: GenerationID(rawValue: generation))
    }

    @Test("a row that names the newest generation and was not changing is trusted")
    func trusted() {
        let known = Self.known(5, isChanging: false)
        let plan = Self.survey([(5, [.data, .journal])]).plan(known: [known])
        #expect(plan.trusted == [known])
        #expect(plan.doubtful.isEmpty && plan.leftovers.isEmpty && plan.vanished.isEmpty)
        #expect(plan.newest.rawValue == 5)
    }

    @Test("a journal that was changing, or that no row names, is read, the newest first")
    func doubtful() {
        let files = Self.survey([(5, [.data, .journal]), (9, [.journal, .data])])
        let expected = [Self.resource: [GenerationID(rawValue: 9), GenerationID(rawValue: 5)]]
        #expect(files.plan(known: []).doubtful == expected)
        #expect(files.plan(known: [Self.known(9, isChanging: true)]).doubtful == expected)
        #expect(files.plan(known: [Self.known(5, isChanging: false)]).doubtful == expected)
    }

    @Test("data without a journal and superseded generations are leftovers")
    func leftovers() {
        let known = Self.known(9, isChanging: false)
        let files = Self.survey([(3, [.data]), (5, [.data, .journal]), (9, [.journal, .data])])
        let plan = files.plan(known: [known])
        #expect(plan.trusted == [known])
        #expect(Set(plan.leftovers) == [Self.leftover(3), Self.leftover(5)])
    }

    @Test("rows without files are dropped, also where only data is left")
    func vanished() {
        let known = Self.known(9, isChanging: false)
        #expect(Self.survey([]).plan(known: [known]).vanished == [known])
        let plan = Self.survey([(9, [.data])]).plan(known: [known])
        #expect(plan.vanished == [known])
        #expect(plan.leftovers == [Self.leftover(9)])
    }

    @Test("an unfinished journal is removed, and makes no generation")
    func unfinished() {
        let plan = Self.survey([(9, [.newJournal])]).plan(known: [])
        #expect(plan.unfinished.count == 1)
        #expect(plan.doubtful.isEmpty && plan.leftovers.isEmpty)
    }
}
