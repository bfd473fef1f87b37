// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// User and password out of an address, percent-decoded.
public struct URLUserInfo: Hashable, Sendable {
    /// The user.
    public let user: String
    /// The password; empty if there was none.
    public let password: String

    /// Names a user.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Reads what stands before the `@` (RFC 3986 §3.2.1).
    init(_ text: Substring) {
        let user = text.prefix { $0 != ":" }
        self.user = PercentCoding.decoded(user)
        self.password = PercentCoding.decoded(text.dropFirst(user.count + 1))
    }

    /// The value of an `Authorization` field of the Basic scheme (RFC 7617 §2).
    var basicCredentials: String {
        "Basic \(Base64.encoded("\(self.user):\(self.password)".utf8))"
    }
}

extension URLUserInfo: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That there is one, not what it is.
    public var description: String { "user and password" }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
