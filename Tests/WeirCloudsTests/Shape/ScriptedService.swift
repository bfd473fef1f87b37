// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirClouds
import WeirHTTP
import WeirSource
import WeirTestKit

/// A service whose responses come from a test.
final class ScriptedService: CloudService {
    struct State: Sendable {
        var ranges: [RequestedRange] = []
        var refused: [Int?] = []
        var paths: [String] = []
    }

    let state = Watched(State())
    let describesBytes: Bool
    let locatesEachRequest: Bool
    private let answer: @Sendable (Int) async throws -> CloudLocation

    /// - Parameters:
    ///   - describesBytes: whether the service's description pins the bytes.
    ///   - locatesEachRequest: whether each request is signed.
    ///   - answer: receives the number of the request for a location, from 1.
    init(
        describesBytes: Bool = true,
        locatesEachRequest: Bool = false,
        _ answer: @escaping @Sendable (Int) async throws -> CloudLocation
    ) {
        self.describesBytes = describesBytes
        self.locatesEachRequest = locatesEachRequest
        self.answer = answer
    }

    /// The link with a number, valid for `seconds`.
    static func link(_ number: Int, lasting seconds: Int?) throws -> CloudLocation {
        CloudLocation(
            OriginLocation(
                url: try OriginURL("https://link.test/\(number)"),
                resource: ResourceDescription(length: 5, validator: .revision("r"))
            ),
            validity: seconds.map { .lifetime(.seconds($0)) } ?? .untilRefused
        )
    }

    /// The count of requests for a location.
    var count: Int { self.state.value.ranges.count }

    let authority = "cloud.test"
    let credentialScope = CredentialScope.credential("secret")

    func displayName(of path: FolderPath) -> String { "cloud:\(path)" }
    func identity(of path: FolderPath) -> String { "cloud-id:\(path)" }

    func describe(_ path: FolderPath) async throws -> FolderEntry {
        FolderEntry(name: path.name ?? "", kind: .file)
    }

    func list(_ path: FolderPath) -> FolderPages { FolderPages { { nil } } }

    func locate(_ path: FolderPath, range: RequestedRange, after refused: OriginLocation?)
        async throws -> CloudLocation
    {
        let number = self.state.update { state in
            state.ranges.append(range)
            state.refused.append(refused?.serial)
            state.paths.append("\(path)")
            return state.ranges.count
        }
        return try await self.answer(number)
    }

    func ruling(on refusal: OriginFailure, about path: FolderPath) async -> FailureRuling {
        refusal.status == 401
            ? .refused(SourceError(.unauthorized, "Wrong password.", status: 401))
            : .transient(after: .seconds(refusal.status))
    }
}
