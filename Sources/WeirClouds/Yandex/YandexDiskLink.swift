// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// A link to the bytes of a file, with the parts of it whose meaning is known.
///
/// ```
/// https://downloader.disk.yandex.ru/disk/<64 hex signature>/<8 hex expiry>/<base64>
///     ?…&fsize=<size>&…&etag=<md5>
/// ```
///
/// The eight digits are Unix seconds. A link of another form is used until it is refused.
struct YandexDiskLink {
    let url: OriginURL
    /// When the link expires, in seconds since 1970.
    let expirySeconds: Int64?
    private let size: Int64?
    private let md5: String?

    /// Reads a link.
    ///
    /// - Throws: `SourceError` with `insecure` for an `http` link from an API with TLS, `badAnswer`
    ///   for an invalid address.
    init(_ text: String, of display: String, api: OriginURL) throws(SourceError) {
        do throws(SourceError) {
            self.url = try OriginURL(text)
        } catch {
            throw SourceError.badAnswer(
                display,
                "a link that is not an address",
                status: nil,
                host: api.authority
            )
        }
        guard api.scheme == .http || self.url.scheme == .https else {
            throw SourceError(
                .insecure,
                "\(api.authority) gives an http link to \(display), where anyone could read and change the traffic; try"
                    + " again later.",
                host: api.authority
            )
        }
        let parts = self.url.path.split(separator: "/")
        self.expirySeconds =
            parts.count >= 4 && parts[0] == "disk" && parts[2].utf8.count == 8
                && parts[2].first != "+"
            ? UInt32(parts[2], radix: 16).map { Int64($0) } : nil
        let arguments = (self.url.query ?? "").split(separator: "&").map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        func argument(_ name: String) -> String? {
            arguments.first { $0.first == name[...] && $0.count == 2 }.map {
                PercentCoding.decoded($0[1])
            }
        }
        self.size = argument("fsize").flatMap { Int64($0) }
            .flatMap(ResourceLength.checked)
        self.md5 = argument("etag").flatMap { $0.utf8.count == 32 ? $0.lowercased() : nil }
    }

    /// Compares the size and the MD5 in the link with the size and the MD5 in the description.
    ///
    /// - Throws: `SourceError` with `badAnswer` if they belong to different files.
    func check(_ resource: YandexDiskAnswer, display: String, host: String) throws(SourceError) {
        let sizesDiffer = self.size != nil && resource.size != nil && self.size != resource.size
        let sumsDiffer =
            self.md5 != nil && resource.md5 != nil && self.md5 != resource.md5?.lowercased()
        guard sizesDiffer || sumsDiffer else { return }
        throw SourceError.badAnswer(
            display,
            "a description of one file and a link to another",
            status: nil,
            host: host
        )
    }
}
