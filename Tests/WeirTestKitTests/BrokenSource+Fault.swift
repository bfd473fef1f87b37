// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension BrokenSource {
    /// The faults that a source can have.
    enum Fault: String, CaseIterable, Sendable {
        case miscountsTheLength
        case changesItsMind
        case losesTheLastByte
        case endsEarly
        case forgetsFirstByte
        case shiftsTheMiddle
        case swapsChunks
        case yieldsEmptyChunks
        case yieldsTooMuch
        case takesSuffixesForStarts
        case refusesLongSuffixes
        case refusesDemandsOverTheEnd
        case refusesTheEnd
        case forgetsTheRefusal
        case refusesEmptyRanges
        case refusesEmptyResources
        case needsALength
        case takesAnyEndForProof
        case servesOneReader
        case isSpoiltByDrops
        case leavesWithOthers
        case refusesVersions
        case ignoresVersions
        case mixesGenerations
        case lendsWrongBytes
        case claimsTooMuch
        case endsWithoutAvailability
        case answersCancelledTasks
        case hangsAfterCancellation
        case readsAhead

        /// The names of the clauses that must reject the source.
        var brokenClauses: [String] {
            switch self {
            case .miscountsTheLength: ["describes the resource", "yields the whole resource"]
            case .changesItsMind: ["describes the resource to every reader alike"]
            case .losesTheLastByte:
                [
                    "yields the whole resource", "yields the last byte", "yields a suffix",
                    "cuts a range at the end of the resource",
                    "reads a resource of unknown length", "serves readers at the same time",
                    "lets a task be cancelled after it has read",
                ]
            case .endsEarly: ["yields the whole resource", "yields the start"]
            case .forgetsFirstByte: ["yields the start", "yields the whole resource"]
            case .shiftsTheMiddle: ["yields the middle"]
            case .swapsChunks: ["yields the whole resource"]
            case .yieldsEmptyChunks: ["yields the whole resource"]
            case .yieldsTooMuch: ["yields the start", "yields the middle", "yields the last byte"]
            case .takesSuffixesForStarts: ["yields a suffix", "yields the last byte"]
            case .refusesLongSuffixes: ["yields all of the resource for a longer suffix"]
            case .refusesDemandsOverTheEnd: ["cuts a range at the end of the resource"]
            case .refusesTheEnd: ["yields nothing exactly at the end"]
            case .forgetsTheRefusal:
                ["refuses a start past the end", "refuses a start past an unknown end"]
            case .refusesEmptyRanges: ["yields nothing for an empty range"]
            case .refusesEmptyResources:
                ["reads an empty resource", "reads an empty resource of unknown length"]
            case .needsALength: ["reads a resource of unknown length"]
            case .takesAnyEndForProof: ["says of an end without proof that it proves nothing"]
            case .servesOneReader: ["serves a reader while another one rests"]
            case .isSpoiltByDrops: ["serves on after a reading was dropped"]
            case .leavesWithOthers: ["harms no reader when another one leaves"]
            case .refusesVersions: ["reads on in the version that was asked for"]
            case .ignoresVersions: ["refuses another version than the one that was asked for"]
            case .mixesGenerations: ["never mixes two generations"]
            case .lendsWrongBytes: ["lends from disk the bytes that it reads"]
            case .claimsTooMuch, .endsWithoutAvailability:
                ["holds nothing outside of the resource"]
            case .answersCancelledTasks: ["refuses a task that was cancelled before"]
            case .hangsAfterCancellation: ["lets a cancelled reader go at once"]
            case .readsAhead: ["takes no more from its origin than it may"]
            }
        }

        /// Whether the source hangs because of the fault.
        var hangs: Bool { self == .servesOneReader || self == .hangsAfterCancellation }
    }
}
