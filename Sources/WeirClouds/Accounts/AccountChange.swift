// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// What becomes of tokens that were made of older ones, once it is seen what is kept by then.
enum AccountChange {
    /// The new tokens are kept.
    case save(AccountTokens)
    /// Nothing is written: these are kept already.
    case keep(AccountTokens)

    /// Decides.
    ///
    /// - Parameters:
    ///   - account: whose tokens they are.
    ///   - before: what the new tokens were made of.
    ///   - new: the new tokens.
    ///   - now: what is kept at the moment.
    /// - Throws: `unauthorized` if the account was removed meanwhile.
    init(
        of account: AccountID,
        from before: AccountTokens?,
        to new: AccountTokens,
        now: AccountTokens?
    ) throws(SourceError) {
        switch (before, now) {
        case (.some, nil):
            throw SourceError(
                .unauthorized,
                "The account \(account) was removed while its token was refreshed; log in again."
            )
        case (_, let now?) where now != before: self = .keep(now)
        default: self = before == new ? .keep(new) : .save(new)
        }
    }
}
