// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import WeirHTTP

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The query of a request: names and values, not encoded; a value's bytes need not be valid UTF-8.
typealias S3Query = [(name: String, value: [UInt8])]

/// Signs requests to S3 in their header with Signature Version 4.
///
/// See "Signature Calculations for the Authorization Header" in the Amazon S3 API Reference.
///
/// ```
/// Authorization: AWS4-HMAC-SHA256 Credential=KEY/20130524/us-east-1/s3/aws4_request,
///     SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=f0e8…
/// ```
///
/// Pure. It signs `host`, the added `x-amz-` fields, and the fields that the caller passes.
struct S3Signature: Sendable {
    /// The digest of an empty body.
    static let emptyBody = SHA256.hash(data: [UInt8]()).hexadecimal

    private static let algorithm = "AWS4-HMAC-SHA256"

    let keys: S3Keys
    let region: String

    /// The fields to add to a request.
    ///
    /// - Parameters:
    ///   - method: the method of the request.
    ///   - host: the value of its `Host` field.
    ///   - path: the path, percent-encoded once, as sent.
    ///   - query: names and values, not encoded, in any order.
    ///   - fields: further fields of the request to sign.
    ///   - bodyDigest: the SHA-256 of the body in hexadecimal digits.
    ///   - seconds: the time of signing, in seconds since 1970-01-01 00:00 UTC.
    /// - Returns: names and values, including `Authorization`.
    func fields(
        method: String,
        host: String,
        path: String,
        query: S3Query = [],
        fields: [(name: String, value: String)] = [],
        bodyDigest: String = emptyBody,
        at seconds: Int64
    ) -> [(name: String, value: String)] {
        let time = S3Time(seconds)
        var added = [("x-amz-content-sha256", bodyDigest), ("x-amz-date", time.text)]
        if let token = self.keys.token { added.append(("x-amz-security-token", token)) }
        let signed = (fields + added + [("host", host)])
            .map { (name: $0.0.lowercased(), value: Self.trimmed($0.1)) }
            .sorted { $0.name < $1.name }
        let names = signed.map(\.name).joined(separator: ";")
        let request = [
            method, path, Self.canonical(query),
            signed.map { "\($0.name):\($0.value)\n" }.joined(), names, bodyDigest,
        ].joined(separator: "\n")
        let scope = "\(time.day)/\(self.region)/s3/aws4_request"
        let text = [
            Self.algorithm, time.text, scope, SHA256.hash(data: Array(request.utf8)).hexadecimal,
        ].joined(separator: "\n")
        let signature = Self.code(text, self.key(of: time.day)).hexadecimal
        added.append(
            (
                "Authorization",
                "\(Self.algorithm) Credential=\(self.keys.identifier)/\(scope),SignedHeaders=\(names),Signature=\(signature)"
            )
        )
        return added
    }

    /// The query in the form that is signed and may be sent: encoded, in the order of its names.
    static func canonical(_ query: S3Query) -> String {
        query.map { (self.encoded($0.name), self.encoded($0.value)) }
            .sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }
            .joined(separator: "&")
    }

    /// Percent-encodes all bytes except the unreserved characters (RFC 3986 §2.3), as S3 does.
    ///
    /// - Parameters:
    ///   - text: the text, not encoded.
    ///   - keepsSlashes: whether slashes stay, for a path.
    /// - Returns: the encoded text in ASCII.
    static func encoded(_ text: String, keepsSlashes: Bool = false) -> String {
        self.encoded(text.utf8, keepsSlashes: keepsSlashes)
    }

    static func encoded(_ bytes: some Sequence<UInt8>, keepsSlashes: Bool = false) -> String {
        var text = ""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "/") where keepsSlashes:
                text += "/"
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }

    private func key(of day: String) -> SymmetricKey {
        var key = SymmetricKey(data: Array("AWS4\(self.keys.secret)".utf8))
        for part in [day, self.region, "s3", "aws4_request"] {
            key = SymmetricKey(data: Array(Self.code(part, key)))
        }
        return key
    }

    private static func code(_ text: String, _ key: SymmetricKey) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
    }

    /// The value without blanks at both ends, and with one blank in place of several.
    private static func trimmed(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
    }
}

/// A time in the format of S3: `20130524T000000Z`.
struct S3Time: Hashable, Sendable {
    let text: String
    /// The date: the first eight digits.
    var day: String { String(self.text.prefix(8)) }

    /// Creates a time from seconds since 1970-01-01 00:00 UTC, for the years 0 to 9999.
    init(_ seconds: Int64) {
        let day = seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0)
        let rest = seconds - day * 86_400
        let (year, month, dayOfMonth) = Self.date(day)
        func digits(_ value: Int64, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        self.text =
            "\(digits(year, 4))\(digits(month, 2))\(digits(dayOfMonth, 2))T\(digits(rest / 3600, 2))"
            + "\(digits(rest / 60 % 60, 2))\(digits(rest % 60, 2))Z"
    }

    /// The Gregorian date of a day since 1970-01-01; years of the calculation start in March.
    private static func date(_ day: Int64) -> (Int64, Int64, Int64) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
