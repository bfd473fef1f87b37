// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The host of the links, which knows neither accounts nor tokens.
extension YandexDiskMachine {
    mutating func answerLink(
        _ request: ServerRequest,
        now: Double
    ) throws(ServerError) -> ServerAnswer {
        try self.checkStranger(request)
        let destination = try self.destination(of: request, now: now)
        try self.refuseLinkByFault(request)
        return try self.media(destination, request, at: .link)
    }

    /// Answers for the foreign host to which links are redirected; it has the same bytes.
    mutating func answerRedirected(
        _ request: ServerRequest,
        now: Double
    ) throws(ServerError) -> ServerAnswer {
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

    /// Refuses a request with credentials that belong only to the API.
    private func checkStranger(_ request: ServerRequest) throws(ServerError) {
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
        try request.checkMedia()
    }

    private func destination(
        of request: ServerRequest,
        now: Double
    ) throws(ServerError) -> LinkTable.Destination {
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

    private mutating func refuseLinkByFault(_ request: ServerRequest) throws(ServerError) {
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
    ) throws(ServerError) -> ServerAnswer {
        var file = destination.file
        if self.behaviour.linksFollowChanges {
            guard case .file(let present) = self.tree.node(destination.path) else {
                throw .answer(.page(404))
            }
            file = present
        }
        let media = MediaAnswer(
            file: file,
            mimeType: file.mimeType(named: destination.path.name),
            entityTag: "\"\(file.md5)\"",
            partsAreMultipart: false
        )
        var answer = try self.spoiled(media, request, at: host)
        answer.fields.append(HeaderField("Server", "nginx"))
        answer.fields.append(
            HeaderField(
                "Content-Disposition",
                "attachment; filename*=UTF-8''\(destination.path.name.escaped())"
            )
        )
        if self.behaviour.cutsBodiesAtExpiry { answer.deadline = destination.expiry }
        return answer
    }
}
