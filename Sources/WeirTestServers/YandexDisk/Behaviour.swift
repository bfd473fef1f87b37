// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How a service behaves: what it may choose, and what goes wrong.
public struct Behaviour: Sendable, Hashable, Codable {
    /// How the link host says that a link has expired.
    ///
    /// Both are on record.
    public enum Expiry: Int, Sendable, Hashable, Codable {
        /// 410, a page.
        case gone = 410
        /// 500, a page, as for a damaged link.
        case broken = 500
    }

    /// How long a link lasts, in seconds; whole ones, since a link says the second of its end.
    public var linkLife: Double = 4 * 3600
    /// How long an access token lasts, in seconds.
    public var tokenLife: Double = 3600
    /// How long a code of the authorization server lasts, in seconds.
    public var codeLife: Double = 600
    /// How the link host says that a link has expired.
    public var expiry = Expiry.gone
    /// Whether a body that is on its way ends with its link.
    ///
    /// Otherwise only its start is looked at.
    public var cutsBodiesAtExpiry = false
    /// Whether a link gives what the file is now.
    ///
    /// Otherwise it gives what the file was.
    public var linksFollowChanges = false
    /// Whether WebDAV sends a part of a file as `multipart/byteranges` with one part.
    public var sendsMultipart = true
    /// What goes wrong.
    ///
    /// Of two that are alike the first happens until it is used up.
    public var faults: [Fault] = []

    /// Makes a behaviour that is right in everything.
    public init(
        linkLife: Double = 4 * 3600,
        tokenLife: Double = 3600,
        faults: [Fault] = []
    ) {
        self.linkLife = linkLife
        self.tokenLife = tokenLife
        self.faults = faults
    }

    /// Uses up one time of a fault.
    ///
    /// - Parameters:
    ///   - name: what would go wrong.
    ///   - host: where.
    /// - Returns: the fault if it happens; `nil` if all goes well.
    mutating func take(_ name: Fault.Name, at host: ServiceHost) -> Fault? {
        guard
            let index = self.faults.firstIndex(where: { $0.name == name && $0.isDue(at: host) })
        else { return nil }
        let fault = self.faults[index]
        if let remaining = fault.remaining {
            self.faults[index].remaining = remaining - 1
            if remaining == 1 { self.faults.remove(at: index) }
        }
        return fault
    }
}

/// One of the servers that a service consists of, each of which is an origin of its own.
public enum ServiceHost: String, Sendable, Hashable, Codable, CaseIterable {
    /// The REST API.
    case api
    /// The host of the links that the API gives.
    case link
    /// The authorization server.
    case oauth
    /// WebDAV.
    case webdav
    /// A foreign host, to which the link host redirects when a fault says so.
    case other
}

/// How each server is spoken to, and how it says no.
extension ServiceHost {
    /// The methods that it has.
    var methods: Set<String> {
        switch self {
        case .api, .link, .other: ["GET"]
        case .oauth: ["GET", "POST"]
        case .webdav: ["GET", "PROPFIND"]
        }
    }

    /// What it answers to a request that no client should make.
    func refusal(_ violation: String) -> ServerAnswer {
        switch self {
        case .api: .apiError(400, "FieldValidationError", violation)
        case .oauth: .oauthError("invalid_request", violation)
        // The links' host and WebDAV stand behind nginx.
        case .link, .other, .webdav: .page(400)
        }
    }
}
