// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The rules for every request, to any of the servers.
extension ServerRequest {
    /// The fields that a request may have only once.
    private static let singleFields = [
        "accept", "accept-encoding", "authorization", "content-length", "content-type", "depth",
        "host", "if-range", "range",
    ]

    /// Checks the method and the fields.
    ///
    /// - Parameters:
    ///   - authority: the correct value of `Host`.
    ///   - methods: the methods that the server has.
    /// - Throws: ``ServerError`` with a sentence.
    func check(authority: String, methods: Set<String>) throws(ServerError) {
        guard methods.contains(self.method) else {
            throw .violation("The method \(self.method) is not one of \(methods.sorted()).")
        }
        for name in Self.singleFields where self.values(name).count > 1 {
            throw .violation("The field \(name) came \(self.values(name).count) times.")
        }
        guard let host = self.value("host") else {
            throw .violation("The field Host is missing.")
        }
        guard host == authority else {
            throw .violation("Host is \(host), not \(authority).")
        }
        if self.method == "GET", !self.body.isEmpty {
            throw .violation("A GET came with a body.")
        }
    }

    /// Checks that media are requested without an encoding.
    func checkMedia() throws(ServerError) {
        let encoding = self.value("accept-encoding")
        if let encoding, encoding.lowercased() != "identity" {
            throw .violation("Media was requested with Accept-Encoding: \(encoding).")
        }
        if self.value("te") != nil {
            throw .violation("Media was requested with the field TE, which turns compression on.")
        }
    }

    /// Checks that the client accepts the answer's type.
    func checkAccepts(_ types: Set<String>) throws(ServerError) {
        guard let field = self.value("accept") else { return }
        let accepted = field.split(separator: ",").map { range in
            range.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        }
        guard accepted.contains(where: { $0 == "*/*" || types.contains($0) }) else {
            throw .violation("Accept is \(field), which excludes \(types.sorted()).")
        }
    }
}
