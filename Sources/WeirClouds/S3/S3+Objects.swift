// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// The bucket as a store that a fleet shares: keys are below its root.
extension S3: ObjectStore {
    /// An object; one that is longer than it may be is no answer.
    package func object(_ key: String, limit: Int) async throws -> [UInt8]? {
        let answer = try await self.ask("GET", self.objectKey(key), about: self.name) { request in
            request.readsBody = { answer in
                // Of a refusal, what it says is read.
                !answer.isSuccess
                    || answer.headers["Content-Length"].flatMap(Int.init).map { $0 <= limit }
                        ?? true
            }
        }
        if answer.status == 404, S3Refusal(answer.body)?.code != "NoSuchBucket" { return nil }
        guard answer.isSuccess else { throw self.failure(answer, about: self.name) }
        guard answer.headers["Content-Length"].flatMap(Int.init).map({ $0 <= limit }) ?? true,
            answer.body.count <= limit
        else {
            throw SourceError(
                .damaged,
                "\(self.authority) has an object that is longer than any that was written.",
                host: self.authority
            )
        }
        return answer.body
    }

    /// Writes an object, by a condition of the store's where it must not be replaced.
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
        // Another machine has written it. One that is about to (409) may fail.
        if !replaces, answer.status == 412 { return false }
        guard answer.isSuccess else { throw self.failure(answer, about: self.name) }
        return true
    }

    /// Keys in the order of their bytes, a thousand at most.
    package func keys(
        beginningWith prefix: String,
        from start: String
    ) async throws -> (keys: [String], areAll: Bool) {
        let root = String(decoding: self.objectKey(""), as: UTF8.self)
        var query = [
            (name: "list-type", value: "2"), (name: "max-keys", value: "1000"),
            (name: "encoding-type", value: "url"), (name: "prefix", value: root + prefix),
        ]
        // What is asked for is what follows a key: the one before the first that is wanted.
        if start > prefix, let last = start.utf8.last, last > 0 {
            let before = start.dropLast() + String(UnicodeScalar(last - 1)) + "~"
            query.append((name: "start-after", value: root + before))
        }
        let answer = try await self.ask("GET", [], query, about: self.name)
        guard answer.isSuccess else { throw self.failure(answer, about: self.name) }
        guard let listing = S3Listing(answer.body) else {
            throw SourceError.badAnswer(
                self.name,
                "no list of a bucket",
                status: answer.status,
                host: self.authority
            )
        }
        let keys = listing.objects.map { String(decoding: $0.key, as: UTF8.self) }
            .filter { $0.hasPrefix(root) }.map { String($0.dropFirst(root.count)) }
            .filter { $0 >= start }
        return (keys, listing.continuation == nil)
    }

    private func objectKey(_ key: String) -> [UInt8] {
        Array((self.bucket.root.isEmpty ? key : "\(self.bucket.root)/\(key)").utf8)
    }
}
