// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

extension AnswerHead {
    /// What the answer says of storing it and of using it again; `nil` if it says nothing of either.
    var cacheDirectives: CacheDirectives? {
        let control = CacheControl(self.headers.values(of: "Cache-Control"))
        let freshness = self.freshness(control)
        guard control.forbidsStoring || freshness != nil else { return nil }
        return CacheDirectives(forbidsStoring: control.forbidsStoring, freshness: freshness)
    }

    /// How long the answer may be used without asking again (RFC 9111 §4.2), less its age (§4.2.3).
    ///
    /// `max-age` comes before `Expires` (§5.3). `must-revalidate` without either names no time that could be counted
    /// on: none is.
    private func freshness(_ control: CacheControl) -> Duration? {
        if control.wantsRevalidation { return .zero }
        guard let lifetime = control.maximumAge ?? self.secondsToExpiry else {
            return control.forbidsStaleness ? .zero : nil
        }
        let age = self.headers["Age"].map { CacheControl.seconds(Array($0.utf8)) } ?? 0
        return .seconds(max(0, lifetime - age))
    }

    /// The seconds from `Date` to `Expires`; 0 for a date that cannot be read, as `0` (§5.3).
    private var secondsToExpiry: Int64? {
        guard let expires = self.headers["Expires"] else { return nil }
        guard let end = HTTPDate.seconds(expires),
            let now = self.headers["Date"].flatMap(HTTPDate.seconds)
        else { return 0 }
        return max(0, end - now)
    }
}
