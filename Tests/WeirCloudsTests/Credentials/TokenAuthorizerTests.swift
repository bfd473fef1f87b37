// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirClouds

@Suite("A token with a scheme")
struct TokenAuthorizerTests {
    private struct Provider: CredentialProvider {
        let log = Watched<[String]>([])

        var credentialScope: CredentialScope { .credential("t1") }

        func credential() async throws -> Credential { Credential(token: "t1") }

        func refused(_ credential: Credential) async throws -> Bool {
            self.log.update { $0.append(credential.token) }
            return true
        }
    }

    @Test("is sent with the service's scheme, and its refusal goes to the provider")
    func isSent() async throws {
        let provider = Provider()
        let authorizer = TokenAuthorizer(scheme: "OAuth", provider: provider)
        let url = try OriginURL("https://h/")
        #expect(try await authorizer.authorization(method: "GET", url: url) == "OAuth t1")
        #expect(try await authorizer.refused("OAuth t1", challenges: []))
        #expect(try await !authorizer.refused("Basic t1", challenges: []))
        #expect(try await !authorizer.refused(nil, challenges: []))
        #expect(provider.log.value == ["t1"])
        let fixed = FixedCredential(token: "t")
        #expect(try await fixed.credential().token == "t")
        #expect(try await !fixed.refused(Credential(token: "t")))
    }
}
