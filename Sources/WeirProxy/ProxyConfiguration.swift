// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where a proxy listens, and which clients it answers.
public struct ProxyConfiguration: Sendable, Hashable {
    /// The address or name to listen on.
    ///
    /// An address that is not on loopback needs a ``secret``.
    public var host: String
    /// The port; 0 takes a free one, which ``MediaProxy/port`` returns.
    public var port: Int
    /// The first segment of every media address; `nil` serves every client that reaches the port.
    public var secret: String?
    /// Names that a `Host` field may hold beside the names of the loopback interface and ``host``.
    ///
    /// The check keeps out web pages that make a name of their own resolve to this machine.
    public var allowedHosts: [String]
    /// Sites whose pages may read the responses, as a browser names them: `https://example.org`.
    public var allowedCrossOrigins: [String]
    /// How many event loops, each a thread, serve the connections.
    ///
    /// One is enough for some 30 000 requests of 64 KiB a second.
    public var eventLoopCount: Int
    /// How many connections may have a slot at a time.
    ///
    /// The proxy accepts an eighth more connections without a slot, at least 8 and at most 64, so
    /// that it always answers `/healthz`. When a request for media arrives on one of these, the
    /// idlest connection is closed for it. That is a connection without a request, or else one
    /// whose client has taken no byte for a while, such as a player that pauses. That player's next
    /// request is served again. Only if every client is being served, a new client gets 503, after
    /// five seconds.
    public var maximumConnections: Int
    /// How many slots one client address may have; `nil`: all on the loopback interface, else three
    /// quarters.
    ///
    /// An address with that many slots can take a slot only from one of its own connections.
    public var maximumConnectionsPerAddress: Int?
    /// The addresses of load balancers.
    ///
    /// A connection from there begins with the header of the PROXY protocol, which names the
    /// client. A header from any other address is not trusted.
    package var balancers: [AddressRange] = []
    /// The rates of sending to clients.
    package var sendingLimits = SendingLimits()
    /// A socket that already listens on ``host`` and ``port``; the proxy closes it.
    package var listeningSocket: CInt?
    /// How long a request waits for a slot before it gets 503.
    package var slotPatience: Duration = .seconds(5)
    /// How long a connection may stay open without a request; a day at most.
    public var idleTimeout: Duration
    /// Whether only programs of the user that this process runs as, and of root, may connect.
    ///
    /// Meant for a proxy on the loopback interface whose ``secret`` other users may learn, for
    /// example from the arguments of a player. The proxy asks the system about each accepted
    /// connection, with `sock_diag(7)`. It closes the connection, without a response, if the client
    /// belongs to another user, is on another machine, or has already closed its socket. Only Linux
    /// reports owners: elsewhere the proxy does not start, with ``ProxyError/Code/usersUnknown``.
    public var admitsOnlySameUser: Bool

    /// A secret of 128 random bits: 32 hexadecimal digits.
    public static func newSecret() -> String { ProxySecret().text }

    /// Describes a proxy on the loopback interface, with a new secret.
    public init(
        host: String = "127.0.0.1",
        port: Int = 0,
        secret: String? = ProxyConfiguration.newSecret(),
        allowedHosts: [String] = [],
        allowedCrossOrigins: [String] = [],
        eventLoopCount: Int = 1,
        maximumConnections: Int = 1024,
        maximumConnectionsPerAddress: Int? = nil,
        idleTimeout: Duration = .seconds(75),
        admitsOnlySameUser: Bool = false
    ) {
        self.host = host
        self.port = port
        self.secret = secret
        self.allowedHosts = allowedHosts
        self.allowedCrossOrigins = allowedCrossOrigins
        self.eventLoopCount = eventLoopCount
        self.maximumConnections = maximumConnections
        self.maximumConnectionsPerAddress = maximumConnectionsPerAddress
        self.idleTimeout = idleTimeout
        self.admitsOnlySameUser = admitsOnlySameUser
    }
}

extension ProxyConfiguration {
    /// Whether only this machine can reach the address.
    var isOnLoopback: Bool {
        HostField(self.host.contains(":") ? "[\(self.host)]" : self.host)?.isLoopback ?? false
    }

    /// How many connections are accepted beyond those that have a slot.
    ///
    /// - Parameter slots: the number of slots.
    /// - Returns: an eighth, 8 at least and 64 at most.
    package static func reserve(beside slots: Int) -> Int {
        min(max(slots / 8, 8), 64)
    }

    /// The limits by which slots are given out.
    var slotLimits: ConnectionSlots.Limits {
        let total = max(1, self.maximumConnections)
        let share = self.isOnLoopback ? total : max(1, total - total / 4)
        return ConnectionSlots.Limits(
            total: total,
            perAddress: min(max(1, self.maximumConnectionsPerAddress ?? share), total),
            reserve: Self.reserve(beside: total),
            stallTime: .seconds(2),
            firstRequestTime: .milliseconds(250)
        )
    }

    /// Checks the port and the secret; returns the secret, or `nil` if the proxy neither has a
    /// secret nor needs one.
    func checkedSecret() throws(ProxyError) -> ProxySecret? {
        guard (0...65535).contains(self.port) else {
            throw ProxyError(
                .invalidConfiguration,
                "The port \(self.port) does not exist;"
                    + " use one from 1 to 65535, or 0 for a free one."
            )
        }
        guard let text = self.secret else {
            guard self.isOnLoopback else {
                throw ProxyError(
                    .insecure,
                    "Without a secret the proxy would be open to everyone who reaches \(self.host); leave the secret"
                        + " on, or listen on 127.0.0.1."
                )
            }
            return nil
        }
        guard let secret = ProxySecret(text) else {
            throw ProxyError(
                .invalidConfiguration,
                "The proxy's secret cannot be part of a path; use 1 to 128 letters, digits, \"-\", \".\", \"_\" or"
                    + " \"~\"."
            )
        }
        return secret
    }

    /// The start of every resource's address.
    func baseURL(port: Int, secret: ProxySecret?) -> String {
        var host = self.host
        if host == "0.0.0.0" { host = "127.0.0.1" }
        if host == "::" { host = "::1" }
        if host.contains(":") { host = "[\(host)]" }
        return "http://\(host):\(port)" + (secret.map { "/" + $0.text } ?? "")
    }
}

extension ProxyError {
    /// Describes why listening on an address failed.
    init(listening configuration: ProxyConfiguration, failure: any Error) {
        let address = "\(configuration.host):\(configuration.port)"
        switch (failure as? IOError)?.errnoCode {
        case EADDRINUSE:
            self.init(
                .portInUse,
                "The proxy could not listen on \(address) because another program already listens there; use port 0 for a"
                    + " free one, or stop the other program; for weir serve that is --listen 127.0.0.1:0.",
                cause: failure
            )
        case EACCES, EPERM:
            self.init(
                .cannotListen,
                "The proxy may not listen on \(address); use a port above 1023.",
                cause: failure
            )
        case EADDRNOTAVAIL:
            self.init(
                .cannotListen,
                "The proxy could not listen on \(address), which is not an address of this machine; listen on"
                    + " 127.0.0.1:\(configuration.port).",
                cause: failure
            )
        default:
            self.init(
                .cannotListen,
                "The proxy could not listen on \(address) (\(failure)); listen on 127.0.0.1, port 0.",
                cause: failure
            )
        }
    }
}

/// The secret in the path of every address of a proxy, without which no media are served.
package struct ProxySecret: Hashable, Sendable {
    /// The characters of the secret, as in the path.
    ///
    /// Never log them.
    package let text: String

    /// Makes a secret of 128 random bits: 32 hexadecimal digits.
    package init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Creates a secret from existing text.
    ///
    /// - Returns: `nil` unless the text has 1 to 128 characters, all of them letters, digits, `-`,
    ///   `.`, `_` or `~` (RFC 3986 §2.3). A path needs no encoding for these.
    package init?(_ text: String) {
        guard (1...128).contains(text.utf8.count), text.utf8.allSatisfy(Self.isUnreserved) else {
            return nil
        }
        self.text = text
    }

    init(using generator: inout some RandomNumberGenerator) {
        self.text = [generator.next(), generator.next()].map { (bits: UInt64) in
            let digits = String(bits, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    /// Whether a segment of a path is the secret.
    ///
    /// The time of the comparison does not show how much of the segment is right.
    package func matches(_ segment: Substring.UTF8View) -> Bool {
        // Arrays: reading a string's bytes one by one takes several times as long.
        let (own, other) = (Array(self.text.utf8), Array(segment))
        guard own.count == other.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(own, other) { difference |= left ^ right }
        return difference == 0
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}

extension ProxySecret: CustomStringConvertible {
    /// A text for logs, without the secret.
    package var description: String { "ProxySecret(hidden)" }
}
