// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirHTTP
import WeirSource

/// The origins of all kinds of sources, each with one folder `Album` of the same files.
///
/// The bytes of a file are its name, as the origin understood the name.
///
/// | source | host | how the folder is listed |
/// |---|---|---|
/// | `web` | `web.example` | by the links of a page |
/// | `webdav` | `dav.example` | by PROPFIND |
/// | `s3` | `s3.example` | by ListObjectsV2 |
/// | `yandex` | `disk.example` | by its API, with links to `links.example` |
final class NamingTransport: HTTPTransport {
    /// The configuration of a source of each kind.
    static let configuration = """
        [sources.web]
        service = "http"
        url = "https://web.example/music/"

        [sources.webdav]
        service = "webdav"
        url = "https://dav.example/music/"

        [sources.s3]
        service = "s3"
        bucket = "music"
        endpoint = "https://s3.example/"
        region = "us-east-1"
        anonymous = true

        [sources.yandex]
        service = "yandex-disk"
        public-key = "https://disk.example/d/x"
        api = "https://disk.example/"
        """

    static let kinds = ["web", "webdav", "s3", "yandex"]

    private let names: [[UInt8]]
    private let fault = Mutex<Fault>(.none)
    private let count = Mutex(0)

    /// The fault that every request meets.
    enum Fault: Sendable {
        case none
        case unreachable
        case status(Int)
    }

    init(names: [[UInt8]]) { self.names = names }

    func become(_ fault: Fault) { self.fault.withLock { $0 = fault } }

    /// The count of requests so far.
    var requestCount: Int { self.count.withLock { $0 } }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        try Task.checkCancellation()
        self.count.withLock { $0 += 1 }
        switch self.fault.withLock({ $0 }) {
        case .unreachable: throw HTTPTransportError(.unreachable, "connection refused")
        case .status(let status): return Self.answer(status, "text/plain", [])
        case .none: break
        }
        request.whenSent?()
        let answer = self.answer(request)
        guard request.method != "HEAD" else {
            return Self.answer(answer.status, answer.type, [], length: answer.body.count)
        }
        return Self.answer(answer.status, answer.type, answer.body)
    }

    private typealias Answer = (status: Int, type: String, body: [UInt8])

    private func answer(_ request: HTTPTransportRequest) -> Answer {
        let path = PercentCoding.decodedBytes(request.url.path)
        switch request.url.host {
        case "web.example" where request.method == "PROPFIND": return (405, "text/plain", [])
        case "web.example": return self.web(path)
        case "dav.example" where request.method == "PROPFIND": return self.multistatus(path)
        case "s3.example" where request.url.query?.contains("list-type=2") == true:
            return self.bucket(request)
        case "disk.example": return self.disk(request)
        case "links.example": return self.file(path, below: "/")
        case "s3.example": return self.file(path, below: "/music/Album/")
        default: return self.file(path, below: "/music/Album/")
        }
    }

    private func file(_ path: [UInt8], below folder: String) -> Answer {
        let name = Array(path.dropFirst(folder.utf8.count))
        guard path.starts(with: folder.utf8), self.names.contains(name) else {
            return (404, "text/plain", [])
        }
        let isPicture = String(decoding: name, as: UTF8.self).hasSuffix(".jpg")
        return (200, isPicture ? "image/jpeg" : "audio/mpeg", name)
    }

    private func web(_ path: [UInt8]) -> Answer {
        switch String(decoding: path, as: UTF8.self) {
        case "/music/": return (200, "text/html", Array("<a href=\"Album/\">Album</a>".utf8))
        case "/music/Album/", "/music/Album":
            let links = self.names.map { "<a href=\"\(PercentCoding.component($0))\">x</a>\n" }
            return (200, "text/html", Array(links.joined().utf8))
        case "/music/page": return (200, "text/html", Array("<html>Sign in</html>".utf8))
        default: return self.file(path, below: "/music/Album/")
        }
    }

    private func multistatus(_ path: [UInt8]) -> Answer {
        func response(_ href: String, isFolder: Bool) -> String {
            let type = isFolder ? "<D:collection/>" : ""
            return "<D:response><D:href>\(href)</D:href><D:propstat><D:prop><D:resourcetype>\(type)"
                + "</D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
        }
        let folder = "/music/Album/"
        var responses: [String]
        switch String(decoding: path, as: UTF8.self) {
        case "/music/":
            responses = [response("/music/", isFolder: true), response(folder, isFolder: true)]
        case "/music/Album/", "/music/Album":
            responses = [response(folder, isFolder: true)]
            responses += self.names.map {
                response(folder + PercentCoding.component($0), isFolder: false)
            }
        default:
            guard self.file(path, below: folder).status == 200 else {
                return (404, "text/plain", [])
            }
            responses = [response(PercentCoding.pathText(path), isFolder: false)]
        }
        let text = "<D:multistatus xmlns:D=\"DAV:\">\(responses.joined())</D:multistatus>"
        return (207, "application/xml", Array(text.utf8))
    }

    private func bucket(_ request: HTTPTransportRequest) -> Answer {
        let prefix = Self.argument("prefix", of: request.url)
        let content: String
        switch String(decoding: prefix, as: UTF8.self) {
        case "": content = "<CommonPrefixes><Prefix>Album/</Prefix></CommonPrefixes>"
        case "Album/":
            content = self.names.map {
                "<Contents><Key>Album/\(PercentCoding.component($0))</Key><Size>\($0.count)</Size></Contents>"
            }.joined()
        default: content = ""
        }
        let text =
            "<ListBucketResult><EncodingType>url</EncodingType>\(content)</ListBucketResult>"
        return (200, "application/xml", Array(text.utf8))
    }

    private func disk(_ request: HTTPTransportRequest) -> Answer {
        let path = Self.argument("path", of: request.url)
        let offset = Int(String(decoding: Self.argument("offset", of: request.url), as: UTF8.self))
        func item(_ name: [UInt8]) -> String {
            """
            {"type":"file","name":\(Self.json(name)),"size":\(name.count),"revision":1,
            "file":"https://links.example/\(PercentCoding.component(name))"}
            """
        }
        let body: String
        switch String(decoding: path, as: UTF8.self) {
        case "/", "/Album":
            let isRoot = path == [UInt8(ascii: "/")]
            let start = min(offset ?? 0, self.names.count)
            let items =
                isRoot
                ? ["{\"type\":\"dir\",\"name\":\"Album\"}"]
                : self.names[start...].prefix(200).map(item)
            body =
                "{\"type\":\"dir\",\"name\":\"x\",\"_embedded\":{\"items\":[\(items.joined(separator: ","))]}}"
        default:
            let name = Array(path.dropFirst("/Album/".utf8.count))
            guard path.starts(with: "/Album/".utf8), self.names.contains(name) else {
                return (404, "application/json", Array("{\"error\":\"DiskNotFoundError\"}".utf8))
            }
            body = item(name)
        }
        return (200, "application/json", Array(body.utf8))
    }

    /// A JSON string with every character as UTF-16 escapes.
    private static func json(_ name: [UInt8]) -> String {
        let units = String(decoding: name, as: UTF8.self).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "\"\(units.joined())\""
    }

    private static func argument(_ name: String, of url: OriginURL) -> [UInt8] {
        let part = (url.query ?? "").split(separator: "&").first { $0.hasPrefix("\(name)=") }
        return PercentCoding.decodedBytes(part?.dropFirst(name.count + 1) ?? "")
    }

    private static func answer(
        _ status: Int,
        _ type: String,
        _ body: [UInt8],
        length: Int? = nil
    ) -> HTTPTransportResponse {
        HTTPTransportResponse(
            status: status,
            headers: HTTPHeaderList(received: [
                ("Content-Type", type), ("Content-Length", "\(length ?? body.count)"),
                ("ETag", "\"1\""),
            ]),
            body: Whole(body),
            isEndProven: true
        )
    }

    private final class Whole: HTTPBody {
        private let bytes: Mutex<[UInt8]>

        init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

        func next() async throws -> ByteMemory? {
            let bytes = self.bytes.withLock { bytes in
                defer { bytes = [] }
                return bytes
            }
            return bytes.isEmpty ? nil : ByteMemory(bytes)
        }

        func cancel() { self.bytes.withLock { $0 = [] } }
    }
}

extension PercentCoding {
    /// A path with each of its names percent-encoded.
    fileprivate static func pathText(_ path: [UInt8]) -> String {
        path.split(separator: UInt8(ascii: "/")).map { "/\(self.component($0))" }.joined()
    }
}
