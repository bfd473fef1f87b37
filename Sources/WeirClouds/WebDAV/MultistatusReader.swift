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
    private(set) var responses: [Multistatus.Response] = []

    private var path: [String] = []
    private var text = ""
    private var href: String?
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
        self.path.append(name)
        self.text = ""
        switch name {
        case "multistatus" where self.path.count == 1: self.isMultistatus = true
        case "response":
            self.href = nil
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

    func parser(
        _ parser: XMLParser,
        didEndElement elementName: String,
        namespaceURI: String?,
        qualifiedName: String?
    ) {
        guard let name = self.path.popLast() else { return }
        let text = self.text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch (self.path.last, name) {
        case ("response", "href"): self.href = self.href ?? text
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
        // HTTP/1.1 200 OK
        let status = self.current.status?.split(separator: " ").dropFirst().first
        guard status == nil || status?.first == "2" else { return }
        self.known.isCollection = self.known.isCollection || self.current.isCollection
        self.known.values.merge(self.current.values) { first, _ in first }
    }

    private func endResponse() {
        guard let href else { return }
        let place = Multistatus.place(href)
        let values = self.known.values
        let name = place.split(separator: "/").last.map(String.init) ?? ""
        guard !name.contains("\0") else { return }
        self.responses.append(
            Multistatus.Response(
                place: place,
                entry: FolderEntry(
                    name: name,
                    kind: self.known.isCollection ? .folder : .file,
                    length: self.known.isCollection
                        ? nil : values["getcontentlength"].flatMap { Int64($0) }.map { max(0, $0) },
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
