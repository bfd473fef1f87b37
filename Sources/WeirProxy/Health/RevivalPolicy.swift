// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a proxy whose socket has died is started anew.
public struct RevivalPolicy: Sendable, Hashable {
    /// How long a proxy may take to answer before it counts as dead; a day at most.
    public var answerLimit: Duration
    /// Whether a proxy may go to a free port when another program has taken its own meanwhile.
    ///
    /// Its addresses are other ones then: whoever has given them to a player gives it the new ones. Without, the proxy
    /// stays dead until its port is free.
    public var mayChangePort: Bool

    /// The defaults: one second, and another port if it must be.
    public init(answerLimit: Duration = .seconds(1), mayChangePort: Bool = true) {
        self.answerLimit = answerLimit
        self.mayChangePort = mayChangePort
    }

    /// Where to listen next, after an attempt to start the proxy anew has failed.
    ///
    /// - Parameters:
    ///   - port: where it was tried.
    ///   - code: why it failed.
    /// - Returns: 0 for any free port; `nil` if there is no further attempt.
    func nextPort(after port: Int, failedWith code: ProxyError.Code) -> Int? {
        self.mayChangePort && port != 0 && code == .portInUse ? 0 : nil
    }
}
