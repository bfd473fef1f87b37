// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirHTTP
import WeirSource

#if canImport(FoundationXML)
import FoundationXML
#endif

/// A page of what `ListObjectsV2` is answered.
///
/// ```
/// <ListBucketResult>
///   <IsTruncated>true</IsTruncated>
///   <Contents><Key>Music/a%20b.mp3</Key><LastModified>2024-07-10T16:02:35.000Z</LastModified>
///     <ETag>"…"</ETag><Size>434234</Size></Contents>
///   <CommonPrefixes><Prefix>Music/Album/</Prefix></CommonPrefixes>
///   <NextContinuationToken>…</NextContinuationToken>
/// </ListBucketResult>
/// ```
///
/// Keys and prefixes are percent-encoded, since `encoding-type=url` was asked for: a key may hold what XML cannot.
struct S3Listing: Hashable {
    /// An object.
    struct Object: Hashable {
        /// The bytes of its key.
        var key: [UInt8]
        var length: Int64?
        var modifiedSeconds: Int64?
    }

    var objects: [Object] = []
    /// What several keys have in common, up to a slash; the bytes.
    var prefixes: [[UInt8]] = []
    /// What the next page is asked with; `nil` after the last.
    var continuation: String?

    /// Reads an answer; `nil` if it is no listing.
    init?(_ body: [UInt8]) {
        guard let root = S3Element.root(of: body), root.name == "ListBucketResult" else {
            return nil
        }
        for element in root.children {
            switch element.name {
            case "Contents":
                guard let key = element["Key"] else { continue }
                self.objects.append(
                    Object(
                        key: Self.bytes(key),
                        length: element["Size"].flatMap { Int64($0) }.flatMap(
                            ResourceLength.checked
                        ),
                        modifiedSeconds: element["LastModified"].flatMap {
                            Int64(internetTime: $0)
                        }
                    )
                )
            case "CommonPrefixes":
                if let prefix = element["Prefix"] { self.prefixes.append(Self.bytes(prefix)) }
            default: break
            }
        }
        if root["IsTruncated"] == "true" { self.continuation = root["NextContinuationToken"] }
    }

    /// Decodes a key; a plus sign is a blank there.
    private static func bytes(_ text: String) -> [UInt8] {
        PercentCoding.decodedBytes(text[...].replacing("+", with: "%20"))
    }
}

/// Why S3 refuses: the code and the sentence of its answer.
///
/// ```
/// <Error><Code>NoSuchKey</Code><Message>…</Message><Region>eu-central-1</Region></Error>
/// ```
struct S3Refusal: Hashable {
    var code: String
    var message: String
    /// Where the bucket is, if the answer says it.
    var region: String?

    /// Reads an answer's body, or its start; `nil` if it is none of S3's.
    init?(_ body: [UInt8]) {
        guard let root = S3Element.root(of: body), root.name == "Error", let code = root["Code"]
        else { return nil }
        self.code = code
        self.message = root["Message"] ?? ""
        self.region = root["Region"]
    }
}

/// An element of a small XML document, with its children and its text; names have no prefix.
final class S3Element {
    let name: String
    private(set) var text = ""
    private(set) var children: [S3Element] = []

    fileprivate init(_ name: String) { self.name = name }

    /// The text of the first child of a name.
    subscript(name: String) -> String? { self.children.first { $0.name == name }?.text }

    /// Reads a document; `nil` if it is none, has a document type, or elements within more than eight others.
    static func root(of body: [UInt8]) -> S3Element? {
        guard !body.contains(0), let text = String(validating: body, as: UTF8.self),
            !text.contains("<!DOCTYPE")
        else { return nil }
        let reader = Reader()
        let parser = XMLParser(data: Data(body))
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        guard parser.parse(), reader.isWhole else { return nil }
        return reader.root
    }

    private final class Reader: NSObject, XMLParserDelegate {
        private static let deepest = 8

        var root: S3Element?
        private var path: [S3Element] = []
        private var isTooDeep = false

        var isWhole: Bool { self.path.isEmpty && !self.isTooDeep }

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            let element = S3Element(name)
            guard self.path.count < Self.deepest else {
                self.isTooDeep = true
                return parser.abortParsing()
            }
            if let parent = self.path.last {
                parent.children.append(element)
            } else {
                self.root = element
            }
            self.path.append(element)
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            self.path.last?.text += text
        }

        func parser(
            _ parser: XMLParser,
            didEndElement name: String,
            namespaceURI: String?,
            qualifiedName: String?
        ) {
            self.path.removeLast()
        }
    }
}
