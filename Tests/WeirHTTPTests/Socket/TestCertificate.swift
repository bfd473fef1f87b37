// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOSSL
import WeirTestKit

/// A self-signed certificate for `localhost` and `127.0.0.1`.
///
/// It is valid for a hundred years. The key is public, and only for tests.
enum TestCertificate {
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBqDCCAU+gAwIBAgIUdbrBl6TLGYSmyBR8ps2z8HJ+LgYwCgYIKoZIzj0EAwIw
        GzEZMBcGA1UEAwwQV2VpciB0ZXN0IHNlcnZlcjAgFw0yNjExMjEwNDExNTJaGA8y
        MTI2MTAyODA0MTE1MlowGzEZMBcGA1UEAwwQV2VpciB0ZXN0IHNlcnZlcjBZMBMG
        ByqGSM49AgEGCCqGSM49AwEHA0IABPmdWg0WlpMZZHGRKCy//94c7e2/74Uhzw6M
        /+R94f6dR7PgiEvSnBbwGmwVlFzHhJHpquRFkHuI2nqFb/QJA5qjbzBtMB0GA1Ud
        DgQWBBQ9jG8DcB8DKtw62Ox5MNDJ3494NTAfBgNVHSMEGDAWgBQ9jG8DcB8DKtw6
        2Ox5MNDJ3494NTAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwDwYDVR0TAQH/
        BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiB1pkEN7qiG8eMAGdWvkHEspK0ZZ2AK
        ib8nCtAYwwwQDgIgUwR4MsdbT7NFA/0aXT3jW3v1BACg2+0t0F1gk+hLTAw=
        -----END CERTIFICATE-----
        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCklFhR1fuy+Ki7jh
        BfzqAJ6mftwTL0rGwipgZRLvEPGhRANCAAT5nVoNFpaTGWRxkSgsv//eHO3tv++F
        Ic8OjP/kfeH+nUez4IhL0pwW8BpsFZRcx4SR6arkRZB7iNp6hW/0CQOa
        -----END PRIVATE KEY-----
        """

    /// The TLS context of a server with this certificate.
    static func serverContext() throws -> NIOSSLContext {
        let certificates = try NIOSSLCertificate.fromPEMBytes(Array(self.certificate.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(self.key.utf8), format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: certificates.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
        )
    }
}
