// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What every request must keep to, whichever server it comes to.
struct StrictRules: Sendable {
    /// The fields of which a request has one at most.
    private static let single = [
        "accept", "accept-encoding", "authorization", "content-length", "content-type", "depth",
        "host", "if-range", "range",
    ]

    /// What stands in `Host`.
    var authority: String
    var methods: Set<String>

    /// Looks at the method and the fields.
    func check(_ request: ServerRequest) throws(Refusal) {
        guard self.methods.contains(request.method) else {
            throw .violation("The method \(request.method) is not one of \(self.methods.sorted()).")
        }
        for name in Self.single where request.values(name).count > 1 {
            throw .violation("The field \(name) came \(request.values(name).count) times.")
        }
        guard let host = request.value("host") else {
            throw .violation("The field Host is missing.")
        }
        guard host == self.authority else {
            throw .violation("Host is \(host), not \(self.authority).")
        }
        if request.method == "GET", !request.body.isEmpty {
            throw .violation("A GET came with a body.")
        }
    }

    /// Looks at what is asked of a body that is media: it must be asked for as it is.
    static func checkMedia(_ request: ServerRequest) throws(Refusal) {
        let encoding = request.value("accept-encoding")
        if let encoding, encoding.lowercased() != "identity" {
            throw .violation("Media was asked for with Accept-Encoding: \(encoding).")
        }
        if request.value("te") != nil {
            throw .violation("Media was asked for with the field TE, which turns compression on.")
        }
    }

    /// Looks at whether the answer's type is wanted.
    static func checkAccepts(_ types: Set<String>, _ request: ServerRequest) throws(Refusal) {
        guard let field = request.value("accept") else { return }
        let accepted = field.split(separator: ",").map { range in
            range.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        }
        guard accepted.contains(where: { $0 == "*/*" || types.contains($0) }) else {
            throw .violation("Accept is \(field), which excludes \(types.sorted()).")
        }
    }
}
