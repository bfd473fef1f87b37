// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAVFoundation
import WeirSource

/// A rule of the contract that was broken.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// Which one.
    package let rule: Rule
    /// What happened, for a person.
    package let details: String

    /// Describes a breach.
    package init(_ rule: Rule, _ details: String) {
        self.rule = rule
        self.details = details
    }

    /// Rule and details.
    package var description: String { "\(self.rule): \(self.details)" }

    /// What is owed to a player, to a source, and to the memory of the device.
    package enum Rule: String, Hashable, Sendable, CaseIterable {
        // What a player is told.

        /// Information comes before the first byte.
        case informationFirst
        /// A player that wants information gets it before the request is finished.
        case informationGiven
        /// Information comes once, and only to a request that wants it.
        case informationOnce
        /// The length is that of the whole resource.
        case wholeLength
        /// The type is the content's, and one that the player takes.
        case typeAllowed

        // Bytes.

        /// Bytes are those of the resource, in order, each once, from the first that was asked for on.
        case rightBytes
        /// All bytes that a player gets of an asset are of one version.
        case oneVersion
        /// No byte past what was asked for, and none where none was.
        case nothingBeyond
        /// A piece has at least one byte and at most as many as are allowed.
        case pieceSize
        /// Small pieces are the first, the last, and those that more was waited for.
        case noSmallPieces
        /// A player is given no more ahead of what it has let go of than the window.
        case window

        // Ends.

        /// A request ends once.
        case endsOnce
        /// A request that is wanted ends.
        case ends
        /// A request is finished only when it has got everything.
        case finishedWhole
        /// A request fails only for a reason.
        case failsForReason
        /// Nothing comes for a request that was cancelled.
        case nothingAfterCancel
        /// Nothing comes for a request that was not made.
        case nothingUnasked
        /// Nothing but failures comes once the origin was found to have another version.
        case nothingAfterChange

        // The source.

        /// A reading asks for the version that is known.
        case pinned
        /// A reading begins at the first byte that a request lacks.
        case readsWhatIsMissing
        /// No more bytes come from the source than are handed over, but for a piece of each request and each reading.
        case readsInMeasure
        /// A reading that no request needs is dropped.
        case dropsReadings
        /// A reading is asked for a piece at most, and not before it has answered.
        case pullSize
        /// The newest request to the end goes first.
        case newestFirst
        /// No more is held than the limits say.
        case memory
        /// When the asset has gone nothing is left.
        case leavesNothing
        /// The application is told once.
        case toldOnce
        /// Everything comes to rest.
        case rests
    }
}
