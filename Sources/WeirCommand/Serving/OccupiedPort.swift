// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirNIOTransport
import WeirSource

/// The port that `weir serve` wants to listen on, where another program does.
struct OccupiedPort {
    /// How long the other program may take to answer.
    private static let patience = Duration.seconds(2)
    /// A question that changes nothing anywhere, and that `weir serve` answers itself with a sentence of its own, whether
    /// or not it has a secret or a page.
    private static let question = (method: "PROPFIND", path: "/healthz")
    /// A part of that sentence.
    private static let mark = "Only GET, HEAD and OPTIONS are answered here."

    /// Where the other program listens.
    let address: ListenAddress

    /// The sentence for a person; `pages` are those of this user's servers.
    ///
    /// Asks the other program whether it is `weir serve`.
    ///
    /// - Returns: `nil` where another program listens there.
    func sentence(_ pages: [PageAddress]) async -> String? {
        await self.isWeir() ? Self.sentence(self.address, pages) : nil
    }

    /// The sentence about a `weir serve` that listens at an address.
    static func sentence(_ address: ListenAddress, _ pages: [PageAddress]) -> String {
        let place = "\(address.playerHost):\(address.port)"
        // The page of another user's server cannot be opened.
        let isOurs = pages.contains { $0.url == "http://\(place)/page/" }
        let advice = isOurs ? "look at it with weir open, stop it" : "stop it"
        return
            "Another weir serve listens on \(place) already; \(advice), or let this one listen on another port, as with"
            + " --listen \(ListenAddress.urlHost(address.host)):0."
    }

    /// Whether a `weir serve` answers there.
    private func isWeir() async -> Bool {
        guard
            let transport = try? NIOTransport(
                .init(
                    proxies: try? ProxySettings(environment: [:]),
                    connectTimeout: Self.patience
                )
            )
        else { return false }
        let base = "http://\(self.address.playerHost):\(self.address.port)"
        let found = await withTaskGroup(of: Bool.self) { group in
            group.addTask { await Self.answer(at: base, over: transport).contains(Self.mark) }
            group.addTask {
                try? await Task.sleep(for: Self.patience)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        await transport.shutdown()
        return found
    }

    /// The start of an answer; empty where none comes.
    private static func answer(at base: String, over transport: NIOTransport) async
        -> String
    {
        guard let url = try? OriginURL(base + Self.question.path),
            let response = try? await transport.send(
                HTTPTransportRequest(url: url, method: Self.question.method)
            )
        else { return "" }
        defer { response.body.cancel() }
        var bytes: [UInt8] = []
        while bytes.count < 4096, let piece = try? await response.body.next() {
            piece.withUnsafeBytes { bytes += $0 }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
