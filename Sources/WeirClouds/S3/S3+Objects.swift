// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
package import WeirSource

/// The bucket as the object store of a fleet; keys are relative to its root.
extension S3: ObjectStore {
    /// Reads an object; an object longer than the limit is an error.
    package func object(_ key: String, limit: Int) async throws -> StoredObject? {
        let answer = try await self.ask("GET", self.objectKey(key), about: self.name) { request in
            request.readsBody = { answer in
                // The body of a refusal is always read.
                !answer.isSuccess
                    || answer.headers["Content-Length"].flatMap(Int.init).map { $0 <= limit }
                        ?? true
            }
        }
        if answer.status == 404, S3Failure(answer.body)?.code != "NoSuchBucket" { return nil }
        guard answer.isSuccess else { throw self.storeFailure(answer) }
        guard answer.headers["Content-Length"].flatMap(Int.init).map({ $0 <= limit }) ?? true,
            answer.body.count <= limit
        else {
            throw SourceError(
                .damaged,
                "\(self.authority) has an object that is longer than Weir writes them.",
                host: self.authority
            )
        }
        return StoredObject(answer.body, age: Self.age(answer), date: answer.seconds)
    }

    /// The error for a failure of the store, with the delay before a retry if the store gives one.
    private func storeFailure(_ answer: ServiceAnswer) -> SourceError {
        var error = self.failure(answer, about: self.name)
        if HTTPStatus.isBusy(answer.status), let delay = answer.retryAfter {
            error.cause = RetryLater(after: delay)
        }
        return error
    }

    /// The age of an object in seconds; both times come from the store, so no other clock counts.
    private static func age(_ answer: ServiceAnswer) -> Int64? {
        guard let date = answer.seconds,
            let written = answer.headers["Last-Modified"].flatMap(Int64.init(httpDate:))
        else { return nil }
        // A cache in front of the store keeps the store's date, and adds the response's age (RFC
        // 9111 §5.1).
        let kept = answer.headers["Age"].flatMap { Int64($0) } ?? 0
        return max(0, date.subtractingClamped(written)).addingClamped(max(0, kept))
    }

    /// Writes an object; the condition `If-None-Match: *` protects an existing one, unless
    /// `replaces` is `true`.
    package func put(
        _ bytes: [UInt8],
        as key: String,
        replacing replaces: Bool
    ) async throws -> Bool {
        let answer = try await self.ask(
            "PUT",
            self.objectKey(key),
            body: bytes,
            about: self.name
        ) { request in
            request.headers.append(
                try HTTPHeader(name: "Content-Type", value: "application/octet-stream")
            )
            guard !replaces else { return }
            request.headers.append(try HTTPHeader(name: "If-None-Match", value: "*"))
        }
        // Another machine has already written the object. A write at the same time may get 409,
        // which is a failure.
        if !replaces, answer.status == 412 { return false }
        guard answer.isSuccess else { throw self.storeFailure(answer) }
        return true
    }

    /// Keys in the order of their bytes, at most a thousand.
    package func keys(
        beginningWith prefix: String,
        from start: String
    ) async throws -> (keys: [String], areAll: Bool) {
        let root = String(decoding: self.objectKey(""), as: UTF8.self)
        var query: S3Query = [
            (name: "list-type", value: Array("2".utf8)),
            (name: "max-keys", value: Array("1000".utf8)),
            (name: "encoding-type", value: Array("url".utf8)),
            (name: "prefix", value: Array((root + prefix).utf8)),
        ]
        // The store lists the keys after a given key, so the request names a key just before the
        // first wanted one.
        if start > prefix, let last = start.utf8.last, last > 0 {
            let before = start.dropLast() + String(UnicodeScalar(last - 1)) + "~"
            query.append((name: "start-after", value: Array((root + before).utf8)))
        }
        let answer = try await self.ask("GET", [], query, about: self.name)
        guard answer.isSuccess else { throw self.storeFailure(answer) }
        guard let listing = S3Listing(answer.body) else {
            throw SourceError.badAnswer(
                self.name,
                "a response that is not a list of a bucket",
                status: answer.status,
                host: self.authority
            )
        }
        let keys = listing.objects.map { String(decoding: $0.key, as: UTF8.self) }
            .filter { $0.hasPrefix(root) }.map { String($0.dropFirst(root.count)) }
            .filter { $0 >= start }
        return (keys, !listing.isTruncated)
    }

    private func objectKey(_ key: String) -> [UInt8] {
        Array((self.bucket.root.isEmpty ? key : "\(self.bucket.root)/\(key)").utf8)
    }
}
