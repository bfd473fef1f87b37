// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The arguments of a query or a form, each at most once and each known.
struct Arguments: Sendable {
    private let values: [String: String]
    /// The names of the arguments, in order.
    let names: [String]

    /// Reads the query of a URL.
    ///
    /// - Parameters:
    ///   - query: the text after the question mark.
    ///   - known: the allowed names.
    /// - Throws: ``ServerError`` with a sentence.
    init(query: String?, known: Set<String>) throws(ServerError) {
        // RFC 3986 §3.4 without the characters that separate arguments, and without the plus.
        try self.init(query ?? "", known: known, allowing: "!$'()*,;:@/?", isForm: false)
    }

    /// Reads a body that is `application/x-www-form-urlencoded`.
    ///
    /// - Parameters:
    ///   - form: the body.
    ///   - known: the allowed names.
    /// - Throws: ``ServerError`` with a sentence.
    init(form: [UInt8], known: Set<String>) throws(ServerError) {
        let text = String(decoding: form, as: UTF8.self)
        try self.init(text, known: known, allowing: "*", isForm: true)
    }

    private init(
        _ text: String,
        known: Set<String>,
        allowing allowed: String,
        isForm: Bool
    ) throws(ServerError) {
        var values: [String: String] = [:]
        var names: [String] = []
        for pair in text.split(separator: "&", omittingEmptySubsequences: text.isEmpty) {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else {
                throw .violation("An argument has no equals sign: \(pair).")
            }
            let name = try halves[0].unescaped(
                of: "the name of an argument",
                allowing: allowed,
                isForm: isForm
            )
            guard known.contains(name) else {
                throw .violation("The argument \(name) is unknown.")
            }
            guard values[name] == nil else { throw .violation("The argument \(name) came twice.") }
            values[name] = try halves[1].unescaped(
                of: "the argument \(name)",
                allowing: isForm ? allowed : allowed + "=",
                isForm: isForm
            )
            names.append(name)
        }
        self.values = values
        self.names = names
    }

    subscript(_ name: String) -> String? { self.values[name] }

    /// A required argument, which must not be empty.
    func required(_ name: String) throws(ServerError) -> String {
        guard let value = self.values[name], !value.isEmpty else {
            throw .violation("The argument \(name) is missing.")
        }
        return value
    }

    /// An argument that is a number from 0 on.
    func number(_ name: String, default fallback: Int) throws(ServerError) -> Int {
        guard let text = self.values[name] else { return fallback }
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text) else {
            throw .violation("The argument \(name) is \(text), which is not a number.")
        }
        return number
    }
}
