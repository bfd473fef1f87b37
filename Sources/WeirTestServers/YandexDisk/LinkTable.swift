// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The links that have been given out, and the bytes to which they lead.
///
/// A link needs no token, because it contains an HMAC over its end and the file's identifier and MD5. The table keeps
/// the link's destination until a day after the link's end, even if the file changes.
struct LinkTable: Sendable {
    /// The destination of a link.
    struct Destination: Sendable {
        var path: DiskPath
        var file: ServedFile
        var expiry: Double
        var target: String
    }

    /// The owner, in resource identifiers and links.
    static let uid = "1130000000000001"
    /// How long the table keeps a destination after the end of its link, so that an answer can say that the link has
    /// expired.
    private static let memory = 86_400.0

    private let key: SymmetricKey
    private var destinations: [String: Destination] = [:]

    init(key: SymmetricKey) { self.key = key }

    /// The identifier of a file, which stays when its bytes change.
    static func resourceID(of path: DiskPath) -> String {
        let digest = SHA256.hash(data: Array(path.description.utf8)).hexadecimal
        return "\(self.uid):\(digest)"
    }

    /// Gives out a link.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - file: its bytes.
    ///   - expiry: the end of the link, in whole Unix seconds.
    ///   - isPublic: whether the link is for the public.
    /// - Returns: the link's path and query, fit for the first line of a request.
    mutating func issue(
        _ path: DiskPath,
        _ file: ServedFile,
        until expiry: Double,
        isPublic: Bool
    ) -> String {
        // The subject also names the owner or the public: one file has two links, with different arguments.
        let subject = "\(Self.resourceID(of: path)):\(file.md5):\(isPublic ? "p" : "o")"
        let seconds = UInt64(min(max(expiry, 0), Double(UInt32.max)))
        let end = String(seconds, radix: 16)
        let stamp = String(repeating: "0", count: 8 - end.count) + end
        let signature = self.signature(stamp, subject).hexadecimal
        let mimeType = file.mimeType(named: path.name)
        let token = Data(subject.utf8).base64EncodedString().escaped()
        let arguments = [
            ("uid", isPublic ? "0" : Self.uid), ("filename", path.name),
            ("disposition", "attachment"), ("hash", ""), ("limit", "0"),
            ("content_type", mimeType), ("owner_uid", Self.uid),
            ("fsize", String(file.length)), ("hid", String(signature.prefix(32))),
            ("media_type", ServedFile.category(of: mimeType)), ("tknv", "v2"), ("etag", file.md5),
        ]
        let query = arguments.map { "\($0)=\($1.escaped())" }.joined(separator: "&")
        let target = "/disk/\(signature)/\(stamp)/\(token)?\(query)"
        self.destinations[signature] = Destination(
            path: path,
            file: file,
            expiry: Double(seconds),
            target: target
        )
        return target
    }

    /// The destination of a link.
    ///
    /// - Parameter target: the path and the query of a request.
    /// - Returns: the destination, expired or not; `nil` if the link is damaged or was never given out.
    func destination(of target: String) -> Destination? {
        let parts = target.prefix { $0 != "?" }
            .split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "disk", parts[3].utf8.count == 8,
            let escaped = try? parts[4].unescaped(of: "a link", allowing: ""),
            let subject = Data(base64Encoded: escaped),
            let code = Self.bytes(of: parts[2])
        else { return nil }
        let signed = Array("\(parts[3]):".utf8) + subject
        guard
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: self.key)
        else { return nil }
        return self.destinations[String(parts[2])]
    }

    /// Drops the destinations of links that expired more than a day ago.
    mutating func forgetExpired(now: Double) {
        self.destinations = self.destinations.filter { now < $0.value.expiry + Self.memory }
    }

    private func signature(
        _ stamp: String,
        _ subject: String
    ) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Array("\(stamp):\(subject)".utf8), using: self.key)
    }

    private static func bytes(of digits: Substring) -> [UInt8]? {
        let values = digits.compactMap(\.hexDigitValue)
        guard values.count == 64, digits.utf8.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
