// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Synchronization
import WeirHTTP
import WeirSource

extension S3 {
    /// Makes a signed request for a key, or for the bucket if the key is empty.
    func signed(
        _ method: String,
        _ key: [UInt8],
        _ query: S3Query = [],
        body: [UInt8] = [],
        about subject: String
    ) async throws -> ServiceRequest {
        let region = try await self.region()
        let (base, prefix) = self.address(in: region)
        let target = prefix + S3Signature.encoded(key, keepsSlashes: true)
        let text = S3Signature.canonical(query)
        let url = try OriginURL("\(base)\(target)\(text.isEmpty ? "" : "?\(text)")")
        var headers = HTTPHeaderList()
        if let keys = try await self.keys() {
            let signature = S3Signature(keys: keys, region: region)
            let offset = self.store.knowledge.withLock { $0.offset }
            for (name, value) in signature.fields(
                method: method,
                host: url.authority,
                path: target,
                query: query,
                bodyDigest: body.isEmpty
                    ? S3Signature.emptyBody : SHA256.hash(data: body).hexadecimal,
                at: self.now().addingClamped(offset)
            ) {
                headers.append(try HTTPHeader(name: name, value: value))
            }
        }
        var request = ServiceRequest(
            method: method,
            url: url,
            headers: headers,
            body: body,
            subject: subject
        )
        // A signature is valid for one host only. So the client does not follow a redirect: it
        // learns the region from it, and signs a new request.
        request.followsRedirects = false
        return request
    }

    /// Sends a request, and repeats it up to three times if a refusal shows how to correct it.
    func ask(
        _ method: String,
        _ key: [UInt8],
        _ query: S3Query = [],
        body: [UInt8] = [],
        about subject: String,
        with change: (inout ServiceRequest) throws -> Void = { _ in }
    ) async throws -> ServiceAnswer {
        var attempts = 0
        while true {
            attempts += 1
            var request = try await self.signed(method, key, query, body: body, about: subject)
            try change(&request)
            let answer = try await self.client.send(request)
            guard attempts <= 3, !answer.isSuccess,
                self.learns(from: S3Failure(answer.body), answer.headers)
            else { return answer }
        }
    }

    /// The scheme and host of the bucket's address, and the prefix of its paths.
    private func address(in region: String) -> (base: String, prefix: String) {
        let name = S3Signature.encoded(self.bucket.name)
        guard let endpoint = self.bucket.endpoint else {
            // Amazon's certificate does not cover a host that begins with a bucket name with a dot.
            let isInPath = self.bucket.isInPath ?? self.bucket.name.contains(".")
            let host = "s3.\(region).amazonaws.com\(region.hasPrefix("cn-") ? ".cn" : "")"
            return isInPath ? ("https://\(host)", "/\(name)/") : ("https://\(name).\(host)", "/")
        }
        let scheme = endpoint.scheme.rawValue
        guard self.bucket.isInPath ?? true else {
            return ("\(scheme)://\(name).\(endpoint.authority)", "/")
        }
        var path = endpoint.path
        while path.hasSuffix("/") { path.removeLast() }
        return ("\(scheme)://\(endpoint.authority)", "\(path)/\(name)/")
    }

    /// The key of a path; the key of a folder ends with a slash, and the key of the whole bucket is
    /// empty.
    func key(of path: FolderPath) -> [UInt8] {
        var parts = self.bucket.root.isEmpty ? [] : [Array(self.bucket.root.utf8)]
        parts += path.componentBytes.map { Array($0) }
        var key = Array(parts.joined(separator: [UInt8(ascii: "/")]))
        if path.isFolder, !key.isEmpty { key.append(UInt8(ascii: "/")) }
        return key
    }

    private func keys() async throws -> S3Keys? {
        switch self.keySource {
        case .anonymous: return nil
        case .given(let keys): return keys
        case .found(let finder):
            let refused = self.store.knowledge.withLock { $0.refused }
            let keys = try await finder.keys(after: refused)
            self.store.knowledge.withLock { $0.keys = keys }
            return keys
        }
    }

    /// The region that was configured or learned.
    ///
    /// The service asks Amazon for the region once. It assumes that any other store has only one
    /// region.
    private func region() async throws -> String {
        if let region = self.store.knowledge.withLock({ $0.region }) ?? self.bucket.region {
            return region
        }
        guard self.bucket.endpoint == nil else { return Self.usualRegion }
        // Every response has the bucket's region; the request needs no signature.
        var request = ServiceRequest(
            method: "HEAD",
            url: try OriginURL("https://s3.amazonaws.com/\(S3Signature.encoded(self.bucket.name))"),
            headers: HTTPHeaderList(),
            subject: self.name
        )
        request.followsRedirects = false
        let answer = try await self.client.send(request)
        let region = answer.headers["x-amz-bucket-region"].flatMap(Self.checked) ?? Self.usualRegion
        self.store.knowledge.withLock { $0.region = region }
        return region
    }

    private static let usualRegion = "us-east-1"

    /// The name of a region, which becomes part of a host: lower-case letters, digits and hyphens.
    private static func checked(region: String) -> String? {
        let isName =
            !region.isEmpty && region.utf8.count <= 64
            && region.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        return isName ? region : nil
    }

    /// Learns from a refusal how to correct the next request.
    ///
    /// A refusal can show the bucket's region, the store's time, or that a temporary key has
    /// expired.
    ///
    /// - Returns: whether the refusal held something new.
    func learns(from refusal: S3Failure?, _ headers: HTTPHeaderList) -> Bool {
        let region = (headers["x-amz-bucket-region"] ?? refusal?.region).flatMap(Self.checked)
        return self.store.knowledge.withLock { knowledge in
            switch refusal?.code {
            case "RequestTimeTooSkewed":
                guard let theirs = headers["Date"].flatMap(Int64.init(httpDate:)) else {
                    return false
                }
                let offset = theirs.subtractingClamped(self.now())
                guard abs(offset.subtractingClamped(knowledge.offset)) > 60 else { return false }
                knowledge.offset = offset
                return true
            case "ExpiredToken", "InvalidToken", "ExpiredTokenException":
                guard case .found = self.keySource, let keys = knowledge.keys,
                    knowledge.refused != keys
                else { return false }
                knowledge.refused = keys
                return true
            case "AuthorizationHeaderMalformed", "PermanentRedirect",
                "IllegalLocationConstraintException",
                "InvalidRegion", nil:
                guard let region, region != (knowledge.region ?? self.bucket.region) else {
                    return false
                }
                knowledge.region = region
                return true
            default:
                return false
            }
        }
    }
}
