// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// A page of the response to `ListObjectsV2`.
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
/// Keys and prefixes are percent-encoded if the response says so in `EncodingType`. The request
/// asks for `encoding-type=url`, since a key may hold bytes that XML cannot. A store that ignores
/// this sends them unencoded. Version 1 has no token.
struct S3Listing: Hashable {
    /// An object.
    struct Object: Hashable {
        /// The bytes of its key.
        var key: [UInt8]
        var length: Int64?
        var modifiedSeconds: Int64?
    }

    var objects: [Object] = []
    /// The common prefixes of several keys, up to a slash, in bytes.
    var prefixes: [[UInt8]] = []
    /// Whether the store has more entries.
    var isTruncated = false
    /// The token for the next page, if the store gives one.
    var continuation: String?

    /// Reads a response; `nil` if it is not a listing.
    init?(_ body: [UInt8]) {
        guard let root = S3Element.root(of: body), root.name == "ListBucketResult" else {
            return nil
        }
        let isEncoded = root["EncodingType"]?.lowercased() == "url"
        for element in root.children {
            switch element.name {
            case "Contents":
                guard let key = element.child("Key") else { continue }
                self.objects.append(
                    Object(
                        key: Self.bytes(key, isEncoded),
                        length: element["Size"].flatMap { Int64($0) }.flatMap(
                            ResourceLength.checked
                        ),
                        modifiedSeconds: element["LastModified"].flatMap {
                            Int64(internetTime: $0)
                        }
                    )
                )
            case "CommonPrefixes":
                if let prefix = element.child("Prefix") {
                    self.prefixes.append(Self.bytes(prefix, isEncoded))
                }
            default: break
            }
        }
        self.isTruncated = root["IsTruncated"]?.lowercased() == "true"
        if self.isTruncated {
            self.continuation = root["NextContinuationToken"]
            if self.continuation?.isEmpty == true { self.continuation = nil }
        }
    }

    /// The bytes of a key; in an encoded key a plus sign means a blank.
    private static func bytes(_ element: S3Element, _ isEncoded: Bool) -> [UInt8] {
        guard isEncoded else { return element.bytes }
        let text = element.bytes.flatMap { $0 == UInt8(ascii: "+") ? Array("%20".utf8) : [$0] }
        return PercentCoding.decodedBytes(text)
    }
}

/// The refusal of S3: the code and the message of its response.
///
/// ```
/// <Error><Code>NoSuchKey</Code><Message>…</Message><Region>eu-central-1</Region></Error>
/// ```
struct S3Failure: Hashable {
    var code: String
    var message: String
    /// The region of the bucket, if the response has it.
    var region: String?

    /// Reads a response's body, or its start; `nil` if it is not an error of S3.
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
    /// The text, which need not be valid UTF-8.
    private(set) var bytes: [UInt8] = []
    private(set) var children: [S3Element] = []

    fileprivate init(_ name: String) { self.name = name }

    /// The text of the first child with a name.
    subscript(name: String) -> String? {
        self.child(name).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// The first child with a name.
    func child(_ name: String) -> S3Element? { self.children.first { $0.name == name } }

    /// Reads a document.
    ///
    /// `nil` if it is invalid, has a document type, or nests more than eight elements.
    static func root(of body: [UInt8]) -> S3Element? {
        var reader = XMLReader(body, deepest: 8)
        var root: S3Element?
        var path: [S3Element] = []
        do throws(XMLReader.Failure) {
            while let event = try reader.next() {
                switch event {
                case .started(let name):
                    let element = S3Element(name.local)
                    if let parent = path.last {
                        parent.children.append(element)
                    } else {
                        root = element
                    }
                    path.append(element)
                case .text(let text): path.last?.bytes += text
                case .ended: path.removeLast()
                }
            }
        } catch {
            return nil
        }
        return root
    }
}
