// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The part of an address that names a site: `user:password@host:port` (RFC 3986 §3.2).
struct URLAuthority: Hashable {
    /// In lower case; an IPv6 address without its brackets.
    let host: String
    /// `nil` if the text names no port.
    let port: Int?
    let userInfo: URLUserInfo?

    init(host: String, port: Int?, userInfo: URLUserInfo? = nil) {
        self.host = host
        self.port = port
        self.userInfo = userInfo
    }

    init(_ text: Substring) throws(SourceError) {
        var rest = text
        if let at = rest.utf8.lastIndex(of: UInt8(ascii: "@")) {
            self.userInfo = URLUserInfo(rest[..<at])
            rest = rest[rest.utf8.index(after: at)...]
        } else {
            self.userInfo = nil
        }
        let isBracketed = rest.utf8.first == UInt8(ascii: "[")
        let host: Substring
        if isBracketed {
            guard let close = rest.utf8.firstIndex(of: UInt8(ascii: "]")) else {
                throw .unusableAddress("the brackets around its IPv6 address do not close")
            }
            host = rest[rest.utf8.index(after: rest.startIndex)..<close]
            rest = rest[rest.utf8.index(after: close)...]
        } else {
            let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
            host = rest[..<colon]
            rest = rest[colon...]
        }
        guard !host.isEmpty else { throw .unusableAddress("it names no host") }
        guard host.utf8.allSatisfy({ Self.isAllowed($0, inAddress: isBracketed) }),
            host.utf8.count < 254
        else {
            throw .unusableAddress(
                "its host holds a character that no host name has; write a name outside of ASCII in its"
                    + " xn-- form"
            )
        }
        self.host = host.lowercased()
        guard let colon = rest.utf8.first else {
            self.port = nil
            return
        }
        guard colon == UInt8(ascii: ":") else {
            throw .unusableAddress("there are characters after the brackets of its IPv6 address")
        }
        let digits = rest.dropFirst()
        guard !digits.isEmpty else {
            self.port = nil
            return
        }
        guard digits.utf8.allSatisfy(\.isASCIIDigit), let port = Int(digits),
            (1...65535).contains(port)
        else {
            throw .unusableAddress("its port is not a number from 1 to 65535")
        }
        self.port = port
    }

    /// `host:port`; only the host if there is no port, or if it is the usual one.
    func hostAndPort(unless usual: Int) -> String {
        let host = self.host.hasByte(UInt8(ascii: ":")) ? "[\(self.host)]" : self.host
        guard let port, port != usual else { return host }
        return "\(host):\(port)"
    }

    private static func isAllowed(_ byte: UInt8, inAddress: Bool) -> Bool {
        if inAddress {
            return byte.isASCIIHexDigit || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
        }
        return byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
}

extension SourceError {
    /// The error for an address that cannot be used; it does not repeat the address, which may hold
    /// a secret.
    static func unusableAddress(_ reason: String) -> SourceError {
        SourceError(
            .invalidRequest,
            "The URL cannot be used: \(reason); give one like https://example.org/folder/song.mp3."
        )
    }
}

/// User and password from an address, percent-decoded.
package struct URLUserInfo: Hashable, Sendable {
    /// The user.
    package let user: String
    /// The password; empty if the address had none.
    package let password: String

    /// Creates a user and a password.
    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Reads the text before the `@` (RFC 3986 §3.2.1).
    init(_ text: Substring) {
        let user = text.prefix { $0 != ":" }
        self.user = PercentCoding.decoded(user)
        self.password = PercentCoding.decoded(text.dropFirst(user.count + 1))
    }

    /// The value of an `Authorization` field of the Basic scheme (RFC 7617 §2).
    var basicCredentials: String {
        "Basic \("\(self.user):\(self.password)".utf8.base64Encoded)"
    }
}

extension URLUserInfo: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text, which reveals neither user nor password.
    package var description: String { "user and password" }
    /// ``description``.
    package var debugDescription: String { self.description }
    /// Empty.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
