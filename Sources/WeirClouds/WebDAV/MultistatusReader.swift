// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import WeirHTTP
internal import WeirSource

#if canImport(FoundationXML)
internal import FoundationXML
#endif

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
    private(set) var responses: [Multistatus.Response] = []

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
        let place = Multistatus.place(href)
        let values = self.known.values
        let name = place.utf8.split(separator: UInt8(ascii: "/")).last.map {
            String(Substring($0))
        }
        let isNameable = name.map { FolderPath.isName($0) } ?? true
        guard isNameable else { return }
        self.responses.append(
            Multistatus.Response(
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
                        HTTPDate.seconds($0) ?? InternetTime.seconds($0)
                    }
                )
            )
        )
    }
}
