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

extension ProxyConfiguration {
    /// Whether nobody but this machine reaches the address.
    var isOnLoopback: Bool {
        HostField(self.host.contains(":") ? "[\(self.host)]" : self.host)?.isLoopback ?? false
    }

    /// How many connections are accepted beside those that have a place.
    ///
    /// - Parameter places: how many have one.
    /// - Returns: an eighth, 8 at least and 64 at most.
    package static func reserve(beside places: Int) -> Int {
        min(max(places / 8, 8), 64)
    }

    /// How the places are given out.
    var placeLimits: PlaceTable.Limits {
        let total = max(1, self.maximumConnections)
        let share = self.isOnLoopback ? total : max(1, total - total / 4)
        return PlaceTable.Limits(
            total: total,
            perAddress: min(max(1, self.maximumConnectionsPerAddress ?? share), total),
            reserve: Self.reserve(beside: total),
            stallTime: .seconds(2),
            firstRequestTime: .milliseconds(250)
        )
    }

    /// The secret, found fit for a path, and needed or not.
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
                    "Without a secret the proxy would be open to everybody who reaches"
                        + " \(self.host); leave the secret on, or listen on 127.0.0.1."
                )
            }
            return nil
        }
        guard let secret = ProxySecret(text) else {
            throw ProxyError(
                .invalidConfiguration,
                "The proxy's secret cannot stand in a path;"
                    + " use 1 to 128 letters, digits, \"-\", \".\", \"_\" or \"~\"."
            )
        }
        return secret
    }

    /// What the address of every resource begins with.
    func baseURL(port: Int, secret: ProxySecret?) -> String {
        var host = self.host
        if host == "0.0.0.0" { host = "127.0.0.1" }
        if host == "::" { host = "::1" }
        if host.contains(":") { host = "[\(host)]" }
        return "http://\(host):\(port)" + (secret.map { "/" + $0.text } ?? "")
    }
}

extension ProxyError {
    /// Why an address could not be listened on.
    init(listening configuration: ProxyConfiguration, failure: any Error) {
        let place = "\(configuration.host):\(configuration.port)"
        switch (failure as? IOError)?.errnoCode {
        case EADDRINUSE:
            self.init(
                .portInUse,
                "The proxy could not listen on \(place) because another program does;"
                    + " use --listen \(configuration.host):0 or stop the other program.",
                cause: failure
            )
        case EACCES, EPERM:
            self.init(
                .cannotListen,
                "The proxy may not listen on \(place); use a port above 1023.",
                cause: failure
            )
        case EADDRNOTAVAIL:
            self.init(
                .cannotListen,
                "The proxy could not listen on \(place), which is no address of this machine;"
                    + " use --listen 127.0.0.1:\(configuration.port).",
                cause: failure
            )
        default:
            self.init(
                .cannotListen,
                "The proxy could not listen on \(place) (\(failure)); use --listen 127.0.0.1:0.",
                cause: failure
            )
        }
    }
}
