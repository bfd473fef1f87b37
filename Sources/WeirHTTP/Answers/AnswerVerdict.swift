// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// What an answer is worth.
enum AnswerVerdict {
    /// Its body holds what was asked for.
    case accepted(AcceptedAnswer)
    /// Its body holds it as the part of a multipart body; the part's head must be judged, too.
    case multipart(boundary: String)
    /// There is no byte to read at this offset, which is the end of the resource or of the range.
    case empty(ResourceDescription, at: Int64)
    /// The resource is still what the request named by its entity tag.
    case unchanged
    /// The origin sends us elsewhere.
    case redirect(location: String)
    /// The origin cannot say it about a range: ask for the whole, and leave when the head has come.
    case askWithoutRange
    /// The origin did not know its own entity tag again: ask without the condition.
    case askWithoutCondition
    /// The same question may get another answer later.
    case transient(TransientStatus)
    /// It will not.
    case refused(SourceError)
}

/// A status that may go away.
struct TransientStatus: Hashable {
    let status: Int
    /// What `Retry-After` says.
    let delay: Duration?
}
