// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOSSL
import WeirTestServers

extension ScriptedServer {
    /// Starts a server that speaks TLS, with ``TestCertificate``, or plain text.
    static func start(
        isTLS: Bool,
        host: String = "127.0.0.1",
        _ script: @escaping @Sendable (Request) -> [Step]
    ) async throws -> ScriptedServer {
        guard isTLS else { return try await Self.start(host: host, script) }
        let context = try TestCertificate.serverContext()
        return try await Self.start(
            host: host,
            handlers: { [NIOSSLServerHandler(context: context)] },
            script
        )
    }
}
