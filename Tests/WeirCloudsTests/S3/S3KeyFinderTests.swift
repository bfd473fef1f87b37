// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirClouds

@Suite("The search for an S3 key")
struct S3KeyFinderTests {
    private func finder(
        _ variables: [String: String],
        profile: String? = nil,
        transport: AnsweringTransport = AnsweringTransport { _, _ in .init(404) },
        now: @escaping @Sendable () -> Int64 = { 1_700_000_000 }
    ) -> S3KeyFinder {
        S3KeyFinder(
            profile: profile,
            environment: { variables[$0] },
            client: transport.client,
            now: now
        )
    }

    private func file(_ text: String, in directory: TemporaryDirectory) throws -> String {
        let path = "\(directory.path)/credentials"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test("finds the key in the variables, with the session token of a temporary key")
    func variables() async throws {
        let finder = self.finder([
            "AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t",
        ])
        let found = S3Keys(
            identifier: "A",
            secret: "s",
            token: "t",
            place: "AWS_ACCESS_KEY_ID"
        )
        #expect(try await finder.keys(after: nil) == found)
    }

    @Test("finds the shared file's key, in the named section or the default one")
    func sharedFile() async throws {
        let directory = TemporaryDirectory()
        let path = try self.file(
            """
            # comment
            [default]
            aws_access_key_id=A
            aws_secret_access_key = s=with=signs
            [work]
              AWS_ACCESS_KEY_ID = B
            aws_secret_access_key = z
            aws_session_token = t
            nonsense
            """,
            in: directory
        )
        let place = ["AWS_SHARED_CREDENTIALS_FILE": path, "AWS_EC2_METADATA_DISABLED": "true"]
        #expect(
            try await self.finder(place).keys(after: nil)
                == S3Keys(
                    identifier: "A",
                    secret: "s=with=signs",
                    place: "[default] of \(path)"
                )
        )
        let work = S3Keys(
            identifier: "B",
            secret: "z",
            token: "t",
            place: "[work] of \(path)"
        )
        #expect(try await self.finder(place, profile: "work").keys(after: nil) == work)
        let named = place.merging(["AWS_PROFILE": "work"]) { $1 }
        #expect(try await self.finder(named).keys(after: nil) == work)
        // A named profile takes precedence over the variables.
        let both = place.merging(["AWS_ACCESS_KEY_ID": "V", "AWS_SECRET_ACCESS_KEY": "v"]) { $1 }
        #expect(try await self.finder(both, profile: "work").keys(after: nil) == work)
        #expect(try await self.finder(both).keys(after: nil).identifier == "V")
        await #expect {
            _ = try await self.finder(place, profile: "other").keys(after: nil)
        } throws: { error in
            let error = error as? SourceError
            return error?.code == .unauthorized && error?.ownerMessage.contains("[other]") == true
        }
    }

    @Test("reads a changed shared file again when its key has been refused")
    func refused() async throws {
        let directory = TemporaryDirectory()
        func write(_ key: String) throws -> String {
            try self.file(
                "[default]\naws_access_key_id=\(key)\naws_secret_access_key=s\n",
                in: directory
            )
        }
        let path = try write("A")
        let finder = self.finder([
            "AWS_SHARED_CREDENTIALS_FILE": path, "AWS_EC2_METADATA_DISABLED": "true",
        ])
        let first = try await finder.keys(after: nil)
        _ = try write("B")
        #expect(try await finder.keys(after: nil) == first)
        #expect(try await finder.keys(after: first).identifier == "B")
    }

    @Test(
        "asks the metadata service with a session token for the role's key, and renews the key in time"
    )
    func role() async throws {
        let time = Mutex<Int64>(1_700_000_000)
        let transport = AnsweringTransport { request, _ in
            switch request.url.path {
            case "/latest/api/token": return .init(200, [], "session\n")
            case "/latest/meta-data/iam/security-credentials/":
                guard request.headers["X-aws-ec2-metadata-token"] == "session" else {
                    return .init(401)
                }
                return .init(200, [], "reader\n")
            case "/latest/meta-data/iam/security-credentials/reader":
                return .init(
                    200,
                    [],
                    """
                    {"Code":"Success","AccessKeyId":"ASIA","SecretAccessKey":"s","Token":"t",\
                    "Expiration":"2023-11-14T23:13:20Z"}
                    """
                )
            default: return .init(404)
            }
        }
        let finder = self.finder(
            ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://machine.test"],
            transport: transport,
            now: { time.withLock { $0 } }
        )
        let keys = try await finder.keys(after: nil)
        #expect(keys == S3Keys(identifier: "ASIA", secret: "s", token: "t", end: 1_700_003_600))
        _ = try await finder.keys(after: nil)
        #expect(transport.requests.value.count == 3)
        time.withLock { $0 = 1_700_003_600 - 299 }
        _ = try await finder.keys(after: nil)
        #expect(transport.requests.value.count == 6)
        #expect(transport.requests.value.first?.method == "PUT")
    }

    @Test("without a key, throws an error that names the shared file")
    func none() async throws {
        await #expect {
            _ = try await self.finder([
                "HOME": "/nowhere", "AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://machine.test",
            ]).keys(after: nil)
        } throws: { error in
            let error = error as? SourceError
            return error?.code == .unauthorized
                && error?.ownerMessage.contains("/nowhere/.aws/credentials") == true
        }
    }
}
