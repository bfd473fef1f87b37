// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1

/// The names of the fields that the proxy reads.
enum FieldName: Hashable, Sendable {
    case accessControlRequestMethod
    case accessControlRequestPrivateNetwork
    case authorization
    case cacheControl
    case connection
    case contentLength
    case host
    case ifMatch
    case ifNoneMatch
    case ifRange
    case origin
    case range
    case secFetchDestination
    case secFetchSite
    case transferEncoding
    case upgrade

    /// Reads a name in any case (RFC 9110 §5.1); `nil` for any other name.
    ///
    /// Names are compared by their length first, because most fields have other names.
    init?(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where Self.isSame(name, "host"): self = .host
        case 5 where Self.isSame(name, "range"): self = .range
        case 6 where Self.isSame(name, "origin"): self = .origin
        case 7 where Self.isSame(name, "upgrade"): self = .upgrade
        case 8 where Self.isSame(name, "if-match"): self = .ifMatch
        case 8 where Self.isSame(name, "if-range"): self = .ifRange
        case 10 where Self.isSame(name, "connection"): self = .connection
        case 13 where Self.isSame(name, "authorization"): self = .authorization
        case 13 where Self.isSame(name, "cache-control"): self = .cacheControl
        case 13 where Self.isSame(name, "if-none-match"): self = .ifNoneMatch
        case 14 where Self.isSame(name, "content-length"): self = .contentLength
        case 14 where Self.isSame(name, "sec-fetch-dest"): self = .secFetchDestination
        case 14 where Self.isSame(name, "sec-fetch-site"): self = .secFetchSite
        case 17 where Self.isSame(name, "transfer-encoding"): self = .transferEncoding
        case 29 where Self.isSame(name, "access-control-request-method"):
            self = .accessControlRequestMethod
        case 38 where Self.isSame(name, "access-control-request-private-network"):
            self = .accessControlRequestPrivateNetwork
        default: return nil
        }
    }

    /// Reads a name in any case.
    init?(_ name: String) {
        var name = name
        let field = name.withUTF8 { FieldName(UnsafeRawBufferPointer($0)) }
        guard let field else { return nil }
        self = field
    }

    /// Whether a name equals one of ours, in any case.
    ///
    /// Our names have hyphens and letters only. Setting bit 5 makes the letters lower case. It turns no other byte of a
    /// valid name into a hyphen or letter.
    private static func isSame(_ name: UnsafeRawBufferPointer, _ lowercased: StaticString) -> Bool {
        lowercased.withUTF8Buffer { letters in
            guard letters.count == name.count else { return false }
            for index in 0..<letters.count where name[index] | 0x20 != letters[index] {
                return false
            }
            return true
        }
    }
}
