// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
package import WeirHTTP
import WeirSource

/// Looks for a key where Amazon's own tools do: variables, the shared file, the machine's role.
///
/// - `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` hold the key itself.
/// - `~/.aws/credentials` (`AWS_SHARED_CREDENTIALS_FILE`), section `default` (`AWS_PROFILE`), holds
///   `aws_access_key_id` and the other values.
/// - `http://169.254.169.254` (`AWS_EC2_METADATA_SERVICE_ENDPOINT`) gives the key of the machine's
///   role, by version 2 of the metadata service, unless `AWS_EC2_METADATA_DISABLED=true`.
///
/// The finder reads these sources again when the store refuses the key, and five minutes before a
/// role's key expires.
package final class S3KeyFinder: Sendable {
    /// How long before its expiry a key is replaced, in seconds.
    private static let margin: Int64 = 300
    /// The time limit for the metadata service; a machine without it gets no response.
    private static let patience = Duration.seconds(2)

    /// The scope of the key that the variables or the file held when this object was created.
    ///
    /// If there was no such key, it is the scope of the machine's role, since a role's key changes.
    let credentialScope: CredentialScope

    private let places: S3KeyPlaces
    private let client: ServiceClient
    private let now: @Sendable () -> Int64
    private let timeline: Timeline
    private let shared = Shared<S3Keys>()
    private let last = Mutex<S3Keys?>(nil)

    /// Creates a finder.
    ///
    /// - Parameters:
    ///   - profile: the section of the shared file; `nil` to use the variables, or the section in
    ///     `AWS_PROFILE`.
    ///   - environment: reads a variable.
    ///   - client: sends requests to the machine's metadata service.
    ///   - now: the time in seconds since 1970.
    ///   - clock: measures the time limit of that service.
    package init(
        profile: String?,
        environment: @escaping @Sendable (String) -> String?,
        client: ServiceClient,
        now: @escaping @Sendable () -> Int64 = WallClock.seconds,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        let places = S3KeyPlaces(profile: profile, environment: environment)
        self.places = places
        self.credentialScope =
            (try? places.keys())?.credentialScope ?? .account("the role of this machine")
        self.client = client
        self.now = now
        self.timeline = Timeline(clock)
    }

    /// A key that has not expired and was not refused.
    ///
    /// - Throws: `SourceError` with `unauthorized` if there is none.
    func keys(after refused: S3Keys?) async throws -> S3Keys {
        if let known = self.last.withLock({ $0 }), known != refused, self.isGood(known) {
            return known
        }
        let found = try await self.shared.value(
            isGood: { $0 != refused && self.isGood($0) },
            make: { try await self.find() }
        )
        self.last.withLock { $0 = found }
        return found
    }

    private func isGood(_ keys: S3Keys) -> Bool {
        keys.end.map { $0 - Self.margin > self.now() } ?? true
    }

    private func find() async throws -> S3Keys {
        if let keys = try self.places.keys() { return keys }
        if let keys = try await self.keysOfMachine() { return keys }
        throw SourceError(
            .unauthorized,
            "No key for S3 is configured; name one in the configuration, or write anonymous = true for a public bucket."
        )
        .tellingOwner(
            "No key for S3 is configured: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and"
                + " \(self.places.file) has no section [\(self.places.section)]; set them, or write anonymous = true"
                + " for a public bucket."
        )
    }

    private func keysOfMachine() async throws -> S3Keys? {
        guard self.places.environment("AWS_EC2_METADATA_DISABLED")?.lowercased() != "true" else {
            return nil
        }
        let base =
            self.places.environment("AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? "http://169.254.169.254"
        do {
            return try await withThrowingTaskGroup(of: S3Keys?.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    try await self.keysOfMachine(at: base.hasSuffix("/") ? base : "\(base)/")
                }
                group.addTask {
                    try await self.timeline.sleep(Self.patience)
                    throw MetadataIsSilent()
                }
                return try await group.next() ?? nil
            }
        } catch {
            try Task.checkCancellation()
            // The machine has no metadata service, or no role.
            return nil
        }
    }

    private func keysOfMachine(at base: String) async throws -> S3Keys? {
        let session = try await self.ask(
            "PUT",
            "\(base)latest/api/token",
            HTTPHeader(name: "X-aws-ec2-metadata-token-ttl-seconds", value: "300")
        )
        let proof = try HTTPHeader(
            name: "X-aws-ec2-metadata-token",
            value: session.trimmingCharacters(in: .whitespacesAndNewlines)
        )
        let path = "\(base)latest/meta-data/iam/security-credentials/"
        let roles = try await self.ask("GET", path, proof)
        guard let role = roles.split(whereSeparator: \.isNewline).first else { return nil }
        let answer = try await self.ask("GET", "\(path)\(S3Signature.encoded(String(role)))", proof)
        let credential = try JSONDecoder().decode(RoleCredential.self, from: Data(answer.utf8))
        return S3Keys(
            identifier: credential.identifier,
            secret: credential.secret,
            token: credential.token,
            end: credential.end.flatMap { Int64(internetTime: $0) }
        )
    }

    private func ask(_ method: String, _ url: String, _ field: HTTPHeader) async throws -> String {
        let answer = try await self.client.send(
            ServiceRequest(
                method: method,
                url: try OriginURL(url),
                headers: HTTPHeaderList([field]),
                subject: "the role of this machine"
            )
        )
        guard answer.status == 200 else { throw MetadataIsSilent() }
        return String(decoding: answer.body, as: UTF8.self)
    }

    private struct MetadataIsSilent: Error {}

    /// The credential of a role, from the metadata service.
    private struct RoleCredential: Decodable {
        let identifier: String
        let secret: String
        let token: String?
        let end: String?

        enum CodingKeys: String, CodingKey {
            case identifier = "AccessKeyId"
            case secret = "SecretAccessKey"
            case token = "Token"
            case end = "Expiration"
        }
    }
}

/// The variables and the shared file that may hold a key.
private struct S3KeyPlaces: Sendable {
    let profile: String?
    let environment: @Sendable (String) -> String?

    /// The current key from the variables or the file; `nil` if neither has a key.
    ///
    /// - Throws: `SourceError` with `unauthorized` if the given profile has no section.
    func keys() throws -> S3Keys? {
        if self.profile == nil, let keys = self.keysOfEnvironment { return keys }
        return try self.keysOfFile()
    }

    private var keysOfEnvironment: S3Keys? {
        guard let identifier = self.environment("AWS_ACCESS_KEY_ID"), !identifier.isEmpty,
            let secret = self.environment("AWS_SECRET_ACCESS_KEY"), !secret.isEmpty
        else { return nil }
        let token = self.environment("AWS_SESSION_TOKEN").flatMap { $0.isEmpty ? nil : $0 }
        return S3Keys(
            identifier: identifier,
            secret: secret,
            token: token,
            place: "AWS_ACCESS_KEY_ID"
        )
    }

    var section: String {
        self.profile ?? self.environment("AWS_PROFILE") ?? "default"
    }

    var file: String {
        self.environment("AWS_SHARED_CREDENTIALS_FILE")
            ?? "\(self.environment("HOME") ?? "~")/.aws/credentials"
    }

    /// The key of the shared file; `nil` if the file, its section or the key is missing.
    ///
    /// - Throws: `SourceError` with `unauthorized` if the given profile has no section.
    private func keysOfFile() throws -> S3Keys? {
        guard let text = try? String(contentsOfFile: self.file, encoding: .utf8),
            let values = SharedCredentialsFile(text)[self.section]
        else {
            guard let profile else { return nil }
            throw SourceError(
                .unauthorized,
                "The profile that the configuration names for S3 does not exist; write it, or name another profile."
            )
            .tellingOwner(
                "\(self.file) has no section [\(profile)]; write the key there, or name another profile."
            )
        }
        guard let identifier = values["aws_access_key_id"],
            let secret = values["aws_secret_access_key"]
        else { return nil }
        return S3Keys(
            identifier: identifier,
            secret: secret,
            token: values["aws_session_token"],
            place: "[\(self.section)] of \(self.file)"
        )
    }
}

/// The sections of `~/.aws/credentials`.
///
/// ```
/// [default]
/// aws_access_key_id = AKIA…
/// # a comment
/// ```
struct SharedCredentialsFile {
    private var sections: [String: [String: String]] = [:]

    /// Reads the text; lines that are neither a section nor a value are skipped.
    init(_ text: String) {
        var section: String?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard let first = line.first, first != "#", first != ";" else { continue }
            if first == "[", line.hasSuffix("]") {
                let name = line.dropFirst().dropLast().trimmingCharacters(in: .whitespaces)
                section = name
                self.sections[name] = self.sections[name] ?? [:]
            } else if let section, let mark = line.firstIndex(of: "=") {
                let name = line[..<mark].trimmingCharacters(in: .whitespaces).lowercased()
                let value = line[line.index(after: mark)...].trimmingCharacters(in: .whitespaces)
                if !value.isEmpty { self.sections[section]?[name] = value }
            }
        }
    }

    /// The values of a section; `nil` if it does not exist.
    subscript(name: String) -> [String: String]? { self.sections[name] }
}
