// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAVFoundation
import WeirSource

/// A broken rule of the contract.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// The broken rule.
    package let rule: Rule
    /// The breach in words, for people.
    package let details: String

    /// Describes a breach.
    package init(_ rule: Rule, _ details: String) {
        self.rule = rule
        self.details = details
    }

    /// Rule and details.
    package var description: String { "\(self.rule): \(self.details)" }

    /// The rules towards a player, a source, and the memory of the device.
    package enum Rule: String, Hashable, Sendable, CaseIterable {
        // Information.

        /// Information comes before the first byte.
        case informationFirst
        /// A player that asks for information gets it before the request is finished.
        case informationGiven
        /// Information comes once, and only to a request that asks for it.
        case informationOnce
        /// The length is the length of the whole resource.
        case wholeLength
        /// The type is the type of the content, and the player accepts it.
        case typeAllowed

        // Bytes.

        /// The bytes are the resource's bytes, in order, each once, from the first requested byte
        /// on.
        case rightBytes
        /// All bytes that a player gets of an asset are of one version.
        case oneVersion
        /// No byte after the requested range, and none for a request without bytes.
        case nothingBeyond
        /// A piece has at least one byte and at most as many as are allowed.
        case pieceSize
        /// Only the first piece, the last, and a piece after a wait for more bytes may be small.
        case noSmallPieces
        /// A player gets no more unreleased bytes than the window.
        case window

        // Ends.

        /// A request ends once.
        case endsOnce
        /// Every wanted request ends.
        case ends
        /// A request is finished only when it has received everything.
        case finishedWhole
        /// A request fails only for a reason.
        case failsForReason
        /// Nothing comes for a cancelled request.
        case nothingAfterCancel
        /// Nothing comes for a request that was not made.
        case nothingUnasked
        /// After the origin is known to have another version, only failures come.
        case nothingAfterChange

        // The source.

        /// A reading asks for the known version.
        case pinned
        /// A reading begins at the first byte that a request lacks.
        case readsWhatIsMissing
        /// The source delivers no more bytes than the player gets, except a piece for each request
        /// and each reading.
        case readsInMeasure
        /// A reading that no request needs is dropped.
        case dropsReadings
        /// A reading gets a pull of at most one piece, and no new pull before its answer.
        case pullSize
        /// The newest request to the end goes first.
        case newestFirst
        /// The server holds no more bytes than the limits allow.
        case memory
        /// Nothing is left after the asset has gone.
        case leavesNothing
        /// The application gets each notice once.
        case toldOnce
        /// Everything comes to rest.
        case rests
    }
}
