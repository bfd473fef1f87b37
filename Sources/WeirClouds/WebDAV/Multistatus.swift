// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import WeirHTTP
internal import WeirSource

#if canImport(FoundationXML)
internal import FoundationXML
#endif

/// What `PROPFIND` is asked and answers (RFC 4918 §9.1, §13).
///
/// ```
/// <D:multistatus xmlns:D="DAV:">
///   <D:response>
///     <D:href>/dav/Music/</D:href>
///     <D:propstat>
///       <D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop>
///       <D:status>HTTP/1.1 200 OK</D:status>
///     </D:propstat>
///     <D:propstat>…<D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>
///   </D:response>
/// </D:multistatus>
/// ```
///
/// Of several `propstat` only those of a 2xx status count. Prefixes are the server's choice, so names are compared
/// within their namespace.
enum Multistatus {
    /// One `response` element.
    struct Response: Hashable {
        /// The path of its `href`, decoded, without a slash at its end.
        var place: String
        var entry: FolderEntry

        /// Whether it is what lies at a percent-encoded path.
        func isAt(_ target: String) -> Bool { self.place == Multistatus.place(target) }
    }

    /// The body of a question.
    static let question = """
        <?xml version="1.0" encoding="utf-8"?>
        <D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/><D:getcontentlength/><D:getcontenttype/>\
        <D:getlastmodified/><D:getetag/></D:prop></D:propfind>
        """

    /// The responses of an answer; `nil` if it is no multistatus.
    ///
    /// A document type is refused: no server needs one, and entities could be made to grow without end.
    static func responses(in body: [UInt8]) -> [Response]? {
        let head = String(decoding: body.prefix(4096), as: UTF8.self)
        guard !head.contains("<!DOCTYPE"), !head.contains("<!ENTITY") else { return nil }
        let reader = MultistatusReader()
        let parser = XMLParser(data: Data(body))
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        guard parser.parse(), reader.isMultistatus else { return nil }
        return reader.responses
    }

    /// The path of an address or of a path, decoded, without a slash at its end.
    static func place(_ href: String) -> String {
        var path = href[...]
        if let scheme = path.firstRange(of: "://") {
            let rest = path[scheme.upperBound...]
            path = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
        }
        path = path.prefix { $0 != "?" && $0 != "#" }
        var place = PercentCoding.decoded(path)
        while place.hasSuffix("/") { place.removeLast() }
        return place
    }
}
