// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirHTTP
import WeirSource

#if canImport(FoundationXML)
import FoundationXML
#endif

/// One `response` of what `PROPFIND` is answered, and the question (RFC 4918 §9.1, §13).
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
struct MultistatusResponse: Hashable {
    /// The path of its `href`, decoded, each name as `FolderPath` writes it, without a slash at its end.
    var place: String
    var entry: FolderEntry

    /// Whether it is what lies at a percent-encoded path.
    ///
    /// By bytes, as all places are compared: to strings, two names may be one, and a slash with a combining mark behind it
    /// is none.
    func isAt(_ target: String) -> Bool { self.isOf(Self.place(target)) }

    /// Whether its place is that one.
    func isOf(_ place: String) -> Bool { self.place.utf8.elementsEqual(place.utf8) }

    /// Whether it lies in a folder or in one below.
    func isBelow(_ folder: String) -> Bool { self.place.utf8.starts(with: "\(folder)/".utf8) }

    /// Whether it lies in a folder itself.
    func isDirectlyBelow(_ folder: String) -> Bool {
        self.isBelow(folder)
            && !self.place.utf8.dropFirst(folder.utf8.count + 1).contains(UInt8(ascii: "/"))
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
    static func all(in body: [UInt8]) -> [MultistatusResponse]? {
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
    static func children(of target: String, in responses: [MultistatusResponse]) -> (
        own: MultistatusResponse?, entries: [FolderEntry]
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
            responses.filter { !$0.isOf(own.place) && $0.isDirectlyBelow(own.place) }.map(\.entry)
        )
    }

    private static func lastName(_ target: String) -> String {
        self.place(target).split(separator: "/").last.map { "/\($0)" } ?? ""
    }
}

/// Follows the elements of a multistatus.
final class MultistatusReader: NSObject, XMLParserDelegate {
    /// What a `propstat` says, until its status is known.
    private struct Properties {
        var isCollection = false
        var values: [String: String] = [:]
        var status: String?
    }

    private(set) var isMultistatus = false
    /// Whether the outermost element was closed and nothing was wrong: not every parser says so of what is cut off.
    var isWhole: Bool { self.isClosed && !self.isBroken }
    private(set) var responses: [MultistatusResponse] = []

    private var isClosed = false
    private var isBroken = false
    private var path: [String] = []
    private var text = ""
    private var href: String?
    /// Of the whole response, where there is no `propstat` (RFC 4918 §14.24).
    private var status: String?
    private var known = Properties()
    private var current = Properties()

    func parser(
        _ parser: XMLParser,
        didStartElement name: String,
        namespaceURI: String?,
        qualifiedName: String?,
        attributes: [String: String]
    ) {
        let name = namespaceURI == "DAV:" ? name : "other"
        if self.isClosed { self.isBroken = true }
        self.path.append(name)
        self.text = ""
        switch name {
        case "multistatus" where self.path.count == 1: self.isMultistatus = true
        case "response":
            self.href = nil
            self.status = nil
            self.known = Properties()
        case "propstat": self.current = Properties()
        case "collection" where self.path.dropLast().last == "resourcetype":
            self.current.isCollection = true
        default: break
        }
        // No server nests deeper; a hostile one is left.
        if self.path.count > 64 { parser.abortParsing() }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard self.text.utf8.count < 65_536 else { return }
        self.text += string
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        self.isBroken = true
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        self.parser(parser, foundCharacters: String(decoding: block, as: UTF8.self))
    }

    func parser(
        _ parser: XMLParser,
        foundInternalEntityDeclarationWithName name: String,
        value: String?
    ) {
        parser.abortParsing()
    }

    func parser(
        _ parser: XMLParser,
        didEndElement elementName: String,
        namespaceURI: String?,
        qualifiedName: String?
    ) {
        guard let name = self.path.popLast() else { return }
        self.isClosed = self.path.isEmpty
        let text = self.text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch (self.path.last, name) {
        case ("response", "href"): self.href = self.href ?? text
        case ("response", "status"): self.status = text
        case ("propstat", "status"): self.current.status = text
        case ("prop", let property) where property != "other":
            self.current.values[property] = text
        case (_, "propstat"): self.endProperties()
        case (_, "response"): self.endResponse()
        default: break
        }
        self.text = ""
    }

    private func endProperties() {
        guard Self.isGood(self.current.status) else { return }
        self.known.isCollection = self.known.isCollection || self.current.isCollection
        self.known.values.merge(self.current.values) { first, _ in first }
    }

    /// `HTTP/1.1 200 OK`; none counts as one of success.
    private static func isGood(_ status: String?) -> Bool {
        let code = status?.split(separator: " ").dropFirst().first
        return code == nil || code?.first == "2"
    }

    private func endResponse() {
        guard let href, Self.isGood(self.status) else { return }
        let place = MultistatusResponse.place(href)
        let values = self.known.values
        let name = place.utf8.split(separator: UInt8(ascii: "/")).last.map {
            String(Substring($0))
        }
        let isNameable = name.map { FolderPath.isName($0) } ?? true
        guard isNameable else { return }
        self.responses.append(
            MultistatusResponse(
                place: place,
                entry: FolderEntry(
                    name: name ?? "",
                    kind: self.known.isCollection ? .folder : .file,
                    length: self.known.isCollection
                        ? nil
                        : values["getcontentlength"].flatMap { Int64($0) }
                            .flatMap(ResourceLength.checked),
                    mediaType: self.known.isCollection
                        ? nil : values["getcontenttype"].flatMap { MediaType(headerValue: $0) },
                    modifiedSeconds: values["getlastmodified"].flatMap {
                        Int64(httpDate: $0) ?? Int64(internetTime: $0)
                    }
                )
            )
        )
    }
}
