// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The host of the links, which knows neither accounts nor tokens.
extension YandexDiskMachine {
    mutating func answerLink(
        _ request: ServerRequest,
        now: Double
    ) throws(Refusal) -> ServerAnswer {
        try self.checkStranger(request)
        let destination = try self.destination(of: request, now: now)
        try self.refuseLinkByFault(request)
        return try self.media(destination, request, at: .link)
    }

    /// The stranger to whom links are redirected: it has the same bytes.
    mutating func answerRedirected(
        _ request: ServerRequest,
        now: Double
    ) throws(Refusal) -> ServerAnswer {
        try self.checkStranger(request)
        guard request.values("cookie").isEmpty else {
            throw .violation("A cookie of the link host was sent to the host of a redirect.")
        }
        guard let range = self.redirected[request.target] else {
            throw .violation("Nothing was redirected to \(request.path).")
        }
        guard range == request.value("range") else {
            throw .violation(
                "A redirect was followed with Range \(request.value("range") ?? "missing"), "
                    + "not \(range ?? "missing")."
            )
        }
        let destination = try self.destination(of: request, now: now)
        return try self.media(destination, request, at: .other)
    }

    /// Looks for what belongs to the API alone.
    private func checkStranger(_ request: ServerRequest) throws(Refusal) {
        guard request.value("authorization") == nil else {
            throw .violation("Authorization was sent to a host that is not the API.")
        }
        for field in request.fields
        where field.value.split(whereSeparator: { " ,;=\"".contains($0) })
            .contains(where: { self.tokens.isToken(String($0)) })
        {
            throw .violation("A token was sent to a host that is not the API, as \(field.name).")
        }
        try self.checkSecrets(of: request)
        try StrictRules.checkMedia(request)
    }

    private func destination(
        of request: ServerRequest,
        now: Double
    ) throws(Refusal) -> LinkTable.Destination {
        guard let destination = self.links.destination(of: request.target) else {
            throw .answer(.page(500))
        }
        guard request.target == destination.target else {
            throw .violation("A link was not used as it was given.")
        }
        guard now < destination.expiry else {
            throw .answer(.page(self.behaviour.expiry.rawValue))
        }
        return destination
    }

    private mutating func refuseLinkByFault(_ request: ServerRequest) throws(Refusal) {
        let refusals: [(Fault.Name, Int)] = [
            (.linkGone, 410), (.linkBroken, 500), (.linkForbidden, 403), (.linkUnauthorized, 401),
            (.linkMissing, 404),
        ]
        for (name, status) in refusals where self.behaviour.take(name, at: .link) != nil {
            throw .answer(.page(status))
        }
        try self.refuseByFault(at: .link)
        guard self.behaviour.take(.linkRedirected, at: .link) != nil else { return }
        self.redirected[request.target] = .some(request.value("range"))
        var redirect = ServerAnswer.redirect(to: self.base(of: .other) + request.target)
        redirect.fields.append(HeaderField("Set-Cookie", "yandexuid=weir; Path=/"))
        throw .answer(redirect)
    }

    private mutating func media(
        _ destination: LinkTable.Destination,
        _ request: ServerRequest,
        at host: ServiceHost
    ) throws(Refusal) -> ServerAnswer {
        var file = destination.file
        if self.behaviour.linksFollowChanges {
            guard case .file(let entry) = self.tree.node(destination.path) else {
                throw .answer(.page(404))
            }
            file = entry.file
        }
        let media = MediaAnswer(
            file: file,
            mimeType: MediaKind(of: file, named: destination.path.name).mimeType,
            entityTag: "\"\(file.md5)\"",
            partsAreMultipart: false
        )
        var answer = try self.spoiled(media, request, at: host)
        answer.fields.append(HeaderField("Server", "nginx"))
        answer.fields.append(
            HeaderField(
                "Content-Disposition",
                "attachment; filename*=UTF-8''\(Escaping.escaped(destination.path.name))"
            )
        )
        if self.behaviour.cutsBodiesAtExpiry { answer.deadline = destination.expiry }
        return answer
    }
}

/// The links that have been given out, and the bytes to which they lead.
///
/// A link carries its own right: an HMAC over its end, the file's identifier and MD5. What it
/// leads to is kept until it has expired, whatever becomes of the file.
struct LinkTable: Sendable {
    /// What a link leads to.
    struct Destination: Sendable {
        var path: DiskPath
        var file: ServedFile
        var expiry: Double
        var target: String
    }

    /// The owner, in resource identifiers and links.
    static let uid = "1130000000000001"
    /// How long a destination is remembered after its end, so that it can be said that it has ended.
    private static let memory = 86_400.0

    private let key: SymmetricKey
    private var destinations: [String: Destination] = [:]

    init(key: SymmetricKey) { self.key = key }

    /// The identifier of a file, which stays when its bytes change.
    static func resourceID(of path: DiskPath) -> String {
        let digest = SHA256.hash(data: Array(path.description.utf8)).hexadecimal
        return "\(self.uid):\(digest)"
    }

    /// Gives out a link.
    ///
    /// - Parameters:
    ///   - path: where the file lies.
    ///   - file: its bytes.
    ///   - expiry: the end of the link, in whole Unix seconds.
    ///   - isPublic: whether it is for anybody.
    /// - Returns: the link's path and query, fit for the first line of a request.
    mutating func issue(
        _ path: DiskPath,
        _ file: ServedFile,
        until expiry: Double,
        isPublic: Bool
    ) -> String {
        // Whose link it is belongs to it, too: the same file has two, that differ in their arguments.
        let subject = "\(Self.resourceID(of: path)):\(file.md5):\(isPublic ? "p" : "o")"
        let seconds = UInt64(min(max(expiry, 0), Double(UInt32.max)))
        let end = String(seconds, radix: 16)
        let stamp = String(repeating: "0", count: 8 - end.count) + end
        let signature = self.signature(stamp, subject).hexadecimal
        let kind = MediaKind(of: file, named: path.name)
        let token = Escaping.escaped(Data(subject.utf8).base64EncodedString())
        let arguments = [
            ("uid", isPublic ? "0" : Self.uid), ("filename", path.name),
            ("disposition", "attachment"), ("hash", ""), ("limit", "0"),
            ("content_type", kind.mimeType), ("owner_uid", Self.uid),
            ("fsize", String(file.length)), ("hid", String(signature.prefix(32))),
            ("media_type", kind.mediaType), ("tknv", "v2"), ("etag", file.md5),
        ]
        let query = arguments.map { "\($0)=\(Escaping.escaped($1))" }.joined(separator: "&")
        let target = "/disk/\(signature)/\(stamp)/\(token)?\(query)"
        self.destinations[signature] = Destination(
            path: path,
            file: file,
            expiry: Double(seconds),
            target: target
        )
        return target
    }

    /// Where a link leads.
    ///
    /// - Parameter target: the path and the query of a request.
    /// - Returns: the destination, expired or not; `nil` if the link is damaged or was never given out.
    func destination(of target: String) -> Destination? {
        let parts = target.prefix { $0 != "?" }
            .split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "disk", parts[3].utf8.count == 8,
            let escaped = try? Escaping.unescaped(parts[4], of: "a link", allowing: ""),
            let subject = Data(base64Encoded: escaped),
            let code = Self.bytes(of: parts[2])
        else { return nil }
        let signed = Array("\(parts[3]):".utf8) + subject
        guard
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed, using: self.key)
        else { return nil }
        return self.destinations[String(parts[2])]
    }

    /// Lets go of the bytes to which no link leads any more.
    mutating func forgetExpired(now: Double) {
        self.destinations = self.destinations.filter { now < $0.value.expiry + Self.memory }
    }

    private func signature(
        _ stamp: String,
        _ subject: String
    ) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Array("\(stamp):\(subject)".utf8), using: self.key)
    }

    private static func bytes(of digits: Substring) -> [UInt8]? {
        let values = digits.compactMap(\.hexDigitValue)
        guard values.count == 64, digits.utf8.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
