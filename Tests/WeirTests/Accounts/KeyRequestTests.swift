// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirTestKit

@Suite("The key requests of a library")
struct KeyRequestTests {
    @Test("the query distinguishes films with one path, and the name their accounts")
    func tellsFilmsApart() async throws {
        let scene = try await LibraryScene(ScriptedResource(length: 1_000))
        let library = try scene.library()
        let asked = Watched<[String]>([])
        let vault = try Decryption.aes(
            AESFormat(.ctr, initialVector: .fromKey),
            key: .provider { request in
                asked.update { asked in
                    let query = request.url.query(percentEncoded: false) ?? "none"
                    asked.append("\(query) \(request.account ?? "nobody")")
                }
                return try KeyMaterial(
                    key: Data(repeating: 1, count: 16),
                    initialVector: Data(repeating: 2, count: 16)
                )
            }
        )
        let first = try scene.url("/film?id=1")
        for request in [
            MediaRequest(url: first, decryption: vault),
            MediaRequest(url: try scene.url("/film?id=2"), decryption: vault),
            MediaRequest(url: first, account: "me", decryption: vault),
            MediaRequest(url: first, headers: ["Authorization": "x"], decryption: vault),
        ] {
            _ = try await library.media(request).data(in: 0..<10)
        }
        #expect(asked.value == ["id=1 nobody", "id=2 nobody", "id=1 me", "id=1 nobody"])
        await library.close()
        await scene.stop()
    }
}
