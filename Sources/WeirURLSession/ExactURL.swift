// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import WeirHTTP

/// An address as Foundation's `URL`, if every byte of its target survives that.
///
/// `URL` takes only what RFC 3986 allows, so a bare `[` or `%zz` is refused here rather than
/// encoded, which would ask for another resource. libcurl below FoundationNetworking removes the dot
/// segments `.` and `..` from a path (RFC 3986 §5.2.4, which is for references and not for targets);
/// what removes them when they are written `%2e` is refused, too.
enum ExactURL {
    /// The address, without user and password; `nil` if it cannot be carried.
    static func url(of origin: OriginURL) -> URL? {
        let host = origin.host.utf8.contains(UInt8(ascii: ":")) ? "[\(origin.host)]" : origin.host
        let port = origin.port == origin.scheme.defaultPort ? "" : ":\(origin.port)"
        let text = "\(origin.scheme.rawValue)://\(host)\(port)\(origin.requestTarget)"
        guard !Self.hasDotSegment(origin.path),
            let url = URL(string: text, encodingInvalidCharacters: false),
            url.absoluteString == text
        else { return nil }
        return url
    }

    private static func hasDotSegment(_ path: String) -> Bool {
        path.split(separator: "/").contains { segment in
            let dots = segment.lowercased().replacing("%2e", with: ".")
            return dots == "." || dots == ".."
        }
    }
}
