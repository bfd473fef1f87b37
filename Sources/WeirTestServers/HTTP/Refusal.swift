// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Why a request is not answered as it was asked.
struct Refusal: Error {
    /// What the client did wrong, as a sentence; `nil` for refusals that a right client meets, too.
    var violation: String?
    /// What is sent; `nil` for a 400 in the way of the server that was asked.
    var answer: ServerAnswer?

    /// A request that no client should make.
    static func violation(_ sentence: String) -> Refusal { Refusal(violation: sentence) }

    /// An answer that ends the matter.
    static func answer(_ answer: ServerAnswer, violation: String? = nil) -> Refusal {
        Refusal(violation: violation, answer: answer)
    }
}
