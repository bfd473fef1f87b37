// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirHTTP
import WeirSource

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
    /// A property of another namespace than WebDAV's is ignored, whatever that is called.
    static func all(in body: [UInt8]) -> [MultistatusResponse]? {
        var reader = XMLReader(body, deepest: 64)
        var responses = MultistatusReader()
        do throws(XMLReader.Failure) {
            while let event = try reader.next() { responses.read(event) }
        } catch {
            return nil
        }
        return responses.isMultistatus ? responses.found : nil
    }

    /// The path of an address or of a path, decoded, each name as `FolderPath` writes it, without a slash at its end.
    static func place(_ href: String) -> String { self.place(Array(href.utf8)) }

    /// The same of the bytes of one, which need not be text.
    static func place(_ href: [UInt8]) -> String {
        let bytes = PercentCoding.decodedBytes(Array(self.path(of: href)))
        // Several slashes in a row count as one: some servers join the address and the path with one more.
        return bytes.split(separator: UInt8(ascii: "/"))
            // What can be no name stays as it is, and is not taken for one.
            .map { "/\(FolderPath.name(ofBytes: $0) ?? String(decoding: $0, as: UTF8.self))" }
            .joined()
    }

    /// The path of an address or of a path, as it is written.
    static func path(of href: [UInt8]) -> ArraySlice<UInt8> {
        let slash = UInt8(ascii: "/")
        var path = href[...]
        if path.first != slash, let scheme = path.firstRange(of: "://".utf8) {
            path = path[scheme.upperBound...]
            path = path[(path.firstIndex(of: slash) ?? path.endIndex)...]
        }
        return path.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
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
struct MultistatusReader {
    /// What a `propstat` says, until its status is known.
    private struct Properties {
        var isCollection = false
        var values: [String: String] = [:]
        var status: String?
    }

    private(set) var isMultistatus = false
    private(set) var found: [MultistatusResponse] = []

    private var path: [String] = []
    private var text: [UInt8] = []
    private var href: [UInt8]?
    /// Of the whole response, where there is no `propstat` (RFC 4918 §14.24).
    private var status: String?
    private var known = Properties()
    private var current = Properties()

    /// Takes the next part of the document.
    mutating func read(_ event: XMLReader.Event) {
        switch event {
        case .started(let name): self.start(name.namespace == "DAV:" ? name.local : "other")
        case .text(let text):
            guard self.text.count < 65_536 else { return }
            self.text += text
        case .ended: self.end()
        }
    }

    private mutating func start(_ name: String) {
        self.path.append(name)
        self.text = []
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
    }

    private mutating func end() {
        guard let name = self.path.popLast() else { return }
        var bytes = self.text.drop(while: Self.isBlank)
        while let last = bytes.last, Self.isBlank(last) { bytes.removeLast() }
        let text = String(decoding: bytes, as: UTF8.self)
        switch (self.path.last, name) {
        case ("response", "href"): self.href = self.href ?? Array(bytes)
        case ("response", "status"): self.status = text
        case ("propstat", "status"): self.current.status = text
        case ("prop", let property) where property != "other":
            self.current.values[property] = text
        case (_, "propstat"): self.endProperties()
        case (_, "response"): self.endResponse()
        default: break
        }
        self.text = []
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private mutating func endProperties() {
        guard Self.isGood(self.current.status) else { return }
        self.known.isCollection = self.known.isCollection || self.current.isCollection
        self.known.values.merge(self.current.values) { first, _ in first }
    }

    /// `HTTP/1.1 200 OK`; none counts as one of success.
    private static func isGood(_ status: String?) -> Bool {
        let code = status?.split(separator: " ").dropFirst().first
        return code == nil || code?.first == "2"
    }

    private mutating func endResponse() {
        guard let href, Self.isGood(self.status) else { return }
        let place = MultistatusResponse.place(href)
        let values = self.known.values
        let name = place.utf8.split(separator: UInt8(ascii: "/")).last.map {
            String(Substring($0))
        }
        let isNameable = name.map { FolderPath.isName($0) } ?? true
        guard isNameable else { return }
        // A server that does not tell the type has folders end in a slash.
        let isFolder =
            values["resourcetype"] == nil
            ? MultistatusResponse.path(of: href).last == UInt8(ascii: "/")
            : self.known.isCollection
        self.found.append(
            MultistatusResponse(
                place: place,
                entry: FolderEntry(
                    name: name ?? "",
                    kind: isFolder ? .folder : .file,
                    length: isFolder
                        ? nil
                        : values["getcontentlength"].flatMap { Int64($0) }
                            .flatMap(ResourceLength.checked),
                    mediaType: isFolder
                        ? nil : values["getcontenttype"].flatMap { MediaType(headerValue: $0) },
                    modifiedSeconds: values["getlastmodified"].flatMap {
                        Int64(httpDate: $0) ?? Int64(internetTime: $0)
                    }
                )
            )
        )
    }
}
