// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The name in a `Host` field or an authority (RFC 9110 §7.2), in lower case, without its port.
struct HostField: Hashable, Sendable {
    /// The name; an IPv6 address without its brackets.
    let name: String

    /// Reads `name`, `name:port`, `[address]` or `[address]:port`; `nil` if it is none of these.
    init?(_ value: some StringProtocol) {
        var scanner = ASCIIScanner(value)
        let name: Substring
        if scanner.skip(UInt8(ascii: "[")) {
            guard let address = scanner.text(upTo: UInt8(ascii: "]")),
                address.utf8.allSatisfy(Self.isOfAddress)
            else { return nil }
            name = address
        } else {
            name = scanner.text(while: Self.isOfName)
        }
        if scanner.skip(UInt8(ascii: ":")) {
            guard scanner.text(while: Self.isDigit).utf8.count <= 5 else { return nil }
        }
        guard scanner.isAtEnd, !name.isEmpty else { return nil }
        self.name = name.lowercased()
    }

    /// Whether the name is one of this machine's own: `localhost`, 127.0.0.0/8 or `::1`.
    ///
    /// No name server is asked for these.
    var isLoopback: Bool {
        if self.name == "localhost" || self.name == "::1" { return true }
        let parts = self.name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "127" else { return false }
        return parts.allSatisfy { part in
            (1...3).contains(part.utf8.count) && part.utf8.allSatisfy(Self.isDigit)
                && UInt8(part) != nil
        }
    }

    /// Whether a field's value is the address that nearly every player sends, with or without a port.
    ///
    /// Every request needs this check; the rest of this type costs more than sending the head of the response.
    static func isUsual(_ value: String) -> Bool {
        var scanner = ASCIIScanner(value)
        guard scanner.skip(exactly: "127.0.0.1") else { return false }
        if scanner.skip(UInt8(ascii: ":")) {
            for _ in 0..<5 where scanner.peek.map(Self.isDigit) == true { _ = scanner.next() }
        }
        return scanner.isAtEnd
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isOfAddress(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: ":"), UInt8(ascii: "."):
            true
        default:
            Self.isDigit(byte)
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default:
            Self.isDigit(byte)
        }
    }
}
