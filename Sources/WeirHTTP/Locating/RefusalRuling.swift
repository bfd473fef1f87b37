// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// What a refusal means, and what follows from it.
public enum RefusalRuling: Sendable {
    /// What it means for any HTTP origin.
    case standard
    /// The location no longer holds: get another one and ask again, at once; or, if that was done already, fail so.
    case locateAnew(otherwise: SourceError)
    /// It goes away by itself; after a pause that the service names, or that is Weir's to choose.
    case transient(after: Duration?)
    /// It is final.
    case refused(SourceError)
}
