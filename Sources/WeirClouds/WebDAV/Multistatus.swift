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
        /// The path of its `href`, decoded, each name as `FolderPath` writes it, without a slash at its end.
        var place: String
        var entry: FolderEntry

        /// Whether it is what lies at a percent-encoded path.
        func isAt(_ target: String) -> Bool { self.place == Multistatus.place(target) }

        /// Whether it lies in a folder or in one below.
        func isBelow(_ folder: String) -> Bool { self.place.hasPrefix("\(folder)/") }

        /// Whether it lies in a folder itself.
        func isDirectlyBelow(_ folder: String) -> Bool {
            self.isBelow(folder) && !self.place.dropFirst(folder.count + 1).contains("/")
        }
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
        // In another encoding it would not be found, and Foundation's parser traps on bytes that are no text.
        guard !body.contains(0), String(validating: body, as: UTF8.self) != nil,
            !self.contains("<!DOCTYPE", body)
        else { return nil }
        let reader = MultistatusReader()
        let parser = XMLParser(data: Data(body))
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        guard parser.parse(), reader.isMultistatus, reader.isWhole else { return nil }
        return reader.responses
    }

    /// The path of an address or of a path, decoded, each name as `FolderPath` writes it, without a slash at its end.
    static func place(_ href: String) -> String {
        var path = href[...]
        if !href.utf8.starts(with: "/".utf8), let scheme = path.firstRange(of: "://") {
            let rest = path[scheme.upperBound...]
            path = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...]
        }
        path = path.prefix { $0 != "?" && $0 != "#" }
        var bytes = PercentCoding.decodedBytes(path)
        while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            // What can be no name stays as it is, and is not taken for one.
            .map { FolderPath.name(ofBytes: $0) ?? String(decoding: $0, as: UTF8.self) }
            .joined(separator: "/")
    }

    private static func contains(_ text: String, _ bytes: [UInt8]) -> Bool {
        let wanted = Array(text.utf8)
        return bytes.indices.contains { start in
            bytes[start] == wanted[0] && bytes[start...].starts(with: wanted)
        }
    }

    /// What is in a folder, out of what was answered about it and its entries.
    ///
    /// The folder's own response is the one at its path; where a proxy on the way has changed the paths, it is the one
    /// that all others lie below. What lies deeper was not asked for.
    ///
    /// - Parameters:
    ///   - target: the percent-encoded path of the folder.
    ///   - responses: what was answered.
    /// - Returns: the folder's own response, if it is there, and its entries.
    static func children(of target: String, in responses: [Response]) -> (
        own: Response?, entries: [FolderEntry]
    ) {
        let shortest = responses.min { $0.place.utf8.count < $1.place.utf8.count }
        var own = responses.first { $0.isAt(target) }
        if own == nil, let shortest, shortest.entry.kind == .folder,
            responses.count == 1
                ? shortest.place.hasSuffix(self.lastName(target))
                : responses.allSatisfy({ $0 == shortest || $0.isBelow(shortest.place) })
        {
            own = shortest
        }
        guard let own else { return (nil, responses.map(\.entry).filter { !$0.name.isEmpty }) }
        return (
            own,
            responses.filter { $0.place != own.place && $0.isDirectlyBelow(own.place) }.map(\.entry)
        )
    }

    private static func lastName(_ target: String) -> String {
        self.place(target).split(separator: "/").last.map { "/\($0)" } ?? ""
    }
}
