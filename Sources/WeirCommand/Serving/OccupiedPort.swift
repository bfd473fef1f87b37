// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// The port that `weir serve` wants to listen on, where another program does.
struct OccupiedPort {
    /// How long the other program may take to answer.
    private static let patience = Duration.seconds(2)
    /// What `weir serve` answers without a secret: its page, or the sentence for an address that it does not have.
    private static let marks = [
        ("/page/", "<title>Weir</title>"), ("/", "the whole address that weir printed"),
    ]

    /// Where the other program listens.
    let address: ListenAddress

    /// The sentence for a person; `page` is that of the server that this user started last.
    ///
    /// Asks the other program whether it is `weir serve`.
    ///
    /// - Returns: `nil` where another program listens there.
    func sentence(_ page: PageAddress?) async -> String? {
        await self.isWeir() ? Self.sentence(self.address, page) : nil
    }

    /// The sentence about a `weir serve` that listens at an address.
    static func sentence(_ address: ListenAddress, _ page: PageAddress?) -> String {
        let place = "\(address.playerHost):\(address.port)"
        // The page of another user's server cannot be opened.
        let isOurs = page?.url == "http://\(place)/page/"
        let advice = isOurs ? "look at it with weir open, stop it" : "stop it"
        return
            "Another weir serve listens on \(place) already; \(advice), or let this one listen on another port, as with"
            + " --listen \(ListenAddress.urlHost(address.host)):0."
    }

    /// Whether a `weir serve` answers there.
    private func isWeir() async -> Bool {
        guard
            let transport = try? AsyncHTTPClientTransport(
                .init(
                    proxies: try? ProxySettings(environment: [:]),
                    connectTimeout: Self.patience
                )
            )
        else { return false }
        let base = "http://\(self.address.playerHost):\(self.address.port)"
        let found = await withTaskGroup(of: Bool?.self) { group in
            for (path, mark) in Self.marks {
                group.addTask { await Self.answer(at: base + path, over: transport).contains(mark) }
            }
            group.addTask {
                try? await Task.sleep(for: Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            for _ in Self.marks {
                // The time is over, or the answer is that of a weir serve.
                guard let isFound = await group.next() ?? nil else { return false }
                if isFound { return true }
            }
            return false
        }
        await transport.shutdown()
        return found
    }

    /// The start of an answer; empty where none comes.
    private static func answer(at address: String, over transport: AsyncHTTPClientTransport) async
        -> String
    {
        guard let url = try? OriginURL(address),
            let response = try? await transport.send(HTTPTransportRequest(url: url))
        else { return "" }
        defer { response.body.cancel() }
        var bytes: [UInt8] = []
        while bytes.count < 4096, let piece = try? await response.body.next() {
            piece.withUnsafeBytes { bytes += $0 }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
