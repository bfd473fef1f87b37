// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirNIOTransport
import WeirSource

/// A port for `weir serve` that another program already listens on.
struct OccupiedPort {
    /// How long the other program may take to answer.
    private static let patience = Duration.seconds(2)
    /// A request without side effects.
    ///
    /// Every `weir serve` answers it with a known sentence, with or without a secret and a page.
    private static let question = (method: "PROPFIND", path: "/healthz")
    /// A part of that sentence.
    private static let mark = "Only GET, HEAD and OPTIONS are answered here."

    /// The address of the other program.
    let address: ListenAddress

    /// The sentence for a person; `pages` are the pages of this user's servers.
    ///
    /// Sends a request to find out whether the other program is `weir serve`.
    ///
    /// - Returns: `nil` if the other program is not `weir serve`.
    func sentence(_ pages: [PageAddress]) async -> String? {
        await self.isWeir() ? Self.sentence(self.address, pages) : nil
    }

    /// The sentence about a `weir serve` that listens on an address.
    static func sentence(_ address: ListenAddress, _ pages: [PageAddress]) -> String {
        let place = "\(address.playerHost):\(address.port)"
        // This user cannot open the page of another user's server.
        let isOurs = pages.contains { $0.url == "http://\(place)/page/" }
        let advice = isOurs ? "look at it with weir open, stop it" : "stop it"
        return
            "Another weir serve listens on \(place) already; \(advice), or use another port for this one, as with"
            + " --listen \(ListenAddress.urlHost(address.host)):0."
    }

    /// Whether a `weir serve` answers at the address.
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

    /// The beginning of the response; empty without one.
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
