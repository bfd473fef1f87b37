// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirHTTP
import WeirSource

/// One `response` of a multistatus, and the `PROPFIND` request for it (RFC 4918 §9.1, §13).
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
/// Only `propstat` elements with a 2xx status count. Servers choose their own prefixes, so names
/// are compared within their namespace.
struct MultistatusResponse: Hashable {
    /// The path of its `href`, decoded, with names as in `FolderPath`, without a slash at its end.
    var place: String
    var entry: FolderEntry

    /// Whether it describes the entry at a percent-encoded path.
    ///
    /// All comparisons of places use bytes. Two different names may be equal as strings, and a
    /// slash before a combining mark is not a slash as a character.
    func isAt(_ target: String) -> Bool { self.isOf(Self.place(target)) }

    /// Whether its place equals the given one.
    func isOf(_ place: String) -> Bool { self.place.utf8.elementsEqual(place.utf8) }

    /// Whether it is in a folder, at any depth.
    func isBelow(_ folder: String) -> Bool { self.place.utf8.starts(with: "\(folder)/".utf8) }

    /// Whether it is directly in a folder.
    func isDirectlyBelow(_ folder: String) -> Bool {
        self.isBelow(folder)
            && !self.place.utf8.dropFirst(folder.utf8.count + 1).contains(UInt8(ascii: "/"))
    }

    /// The body of a request.
    static let question = """
        <?xml version="1.0" encoding="utf-8"?>
        <D:propfind xmlns:D="DAV:"><D:prop><D:resourcetype/><D:getcontentlength/><D:getcontenttype/>\
        <D:getlastmodified/><D:getetag/></D:prop></D:propfind>
        """

    /// The responses in a body; `nil` if it is not a multistatus.
    ///
    /// Properties of namespaces other than WebDAV's are ignored, whatever their names.
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

    /// The decoded path of an address or a path, with names as in `FolderPath`, without a slash at
    /// its end.
    static func place(_ href: String) -> String { self.place(Array(href.utf8)) }

    /// The decoded path of an address or a path, from bytes that need not be valid UTF-8.
    static func place(_ href: [UInt8]) -> String {
        let bytes = PercentCoding.decodedBytes(Array(self.path(of: href)))
        // Several slashes in a row count as one: some servers join address and path with an extra
        // slash.
        return bytes.split(separator: UInt8(ascii: "/"))
            // Bytes that cannot be a name are only decoded; no entry is made for them.
            .map { "/\(FolderPath.name(ofBytes: $0) ?? String(decoding: $0, as: UTF8.self))" }
            .joined()
    }

    /// The path of an address or a path, not decoded.
    static func path(of href: [UInt8]) -> ArraySlice<UInt8> {
        let slash = UInt8(ascii: "/")
        var path = href[...]
        if path.first != slash, let scheme = path.firstRange(of: "://".utf8) {
            path = path[scheme.upperBound...]
            path = path[(path.firstIndex(of: slash) ?? path.endIndex)...]
        }
        return path.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    }

    /// The entries of a folder, from the responses about it and its entries.
    ///
    /// The folder's own response is the one at its path. If a proxy has changed the paths, it is
    /// the response whose path contains all others. Responses at a greater depth are dropped.
    ///
    /// - Parameters:
    ///   - target: the percent-encoded path of the folder.
    ///   - responses: the responses of the server.
    /// - Returns: the folder's own response, if there is one, and its entries.
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

/// Builds responses from the elements of a multistatus.
struct MultistatusReader {
    /// The properties of a `propstat`, until its status is known.
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
    /// The status of the whole response, if there is no `propstat` (RFC 4918 §14.24).
    private var status: String?
    private var known = Properties()
    private var current = Properties()

    /// Handles the next part of the document.
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

    /// Whether the status, such as `HTTP/1.1 200 OK`, is a success; a missing status counts as a
    /// success.
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
        // Servers that do not give the type end the paths of folders with a slash.
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
