// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirLive
import WeirPlayback
import WeirSource

@testable import WeirCommand

@Suite("The command's text of an error")
struct OwnerSentenceTests {
    private static let error = SourceError(
        .unauthorized,
        "a.mp3: the one that was sent was refused."
    )
    .tellingOwner("a.mp3: the one in TOKEN was refused.")

    @Test("is the owner's sentence, also through the player and a station")
    func named() {
        let error = Self.error
        let loss = StationError(.refused, error.message, cause: error)
        for carrier: any Error in [
            error, loss, PlayerFailure(.source, error.message, cause: error),
            PlayerFailure(.source, loss.message, cause: loss),
        ] {
            #expect(carrier.ownerSentence == "a.mp3: the one in TOKEN was refused.")
            #expect(!"\(carrier)".contains("TOKEN"))
        }
        let longer = PlayerFailure(.source, "a: \(error.message)", cause: error)
        #expect(longer.ownerSentence == "a: a.mp3: the one in TOKEN was refused.")
    }

    @Test("is the error's own sentence where there is no sentence for the owner")
    func plain() {
        #expect(SourceError(.notFound, "None.").ownerSentence == "None.")
        #expect(CommandError.usage("No.").ownerSentence == "No.")
        #expect(
            StationError(.refused, "Another one.", cause: Self.error).ownerSentence
                == "Another one."
        )
        var changed = Self.error
        changed.message += " Really."
        #expect(changed.ownerSentence == "a.mp3: the one that was sent was refused. Really.")
    }

    @Test("from a player that gives up is the owner's sentence")
    func ending() {
        let failure = PlayerFailure(.source, Self.error.message, cause: Self.error)
        #expect(CommandError(failure).description.contains("TOKEN"))
    }
}
