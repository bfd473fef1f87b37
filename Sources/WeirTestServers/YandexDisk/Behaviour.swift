// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How a service behaves: its free choices, and its faults.
public struct Behaviour: Sendable, Hashable, Codable {
    /// How the link host reports that a link has expired.
    ///
    /// Both forms have been recorded.
    public enum Expiry: Int, Sendable, Hashable, Codable {
        /// 410, a page.
        case gone = 410
        /// 500, a page, as for a damaged link.
        case broken = 500
    }

    /// How long a link lasts, in whole seconds: a link contains the second of its end.
    public var linkLife: Double = 4 * 3600
    /// How long an access token lasts, in seconds.
    public var tokenLife: Double = 3600
    /// How long a code of the authorization server lasts, in seconds.
    public var codeLife: Double = 600
    /// How the link host reports that a link has expired.
    public var expiry = Expiry.gone
    /// Whether a body that is being sent ends when its link expires.
    ///
    /// Otherwise the link counts only at the start of the body.
    public var cutsBodiesAtExpiry = false
    /// Whether a link gives the current bytes of a changed file.
    ///
    /// Otherwise it gives the bytes of the time when the link was made.
    public var linksFollowChanges = false
    /// Whether WebDAV sends a part of a file as `multipart/byteranges` with one part.
    public var sendsMultipart = true
    /// The faults of the service.
    ///
    /// Of two with the same name, the first one happens until it is used up.
    public var faults: [Fault] = []

    /// Makes a behaviour that is correct apart from the given faults.
    public init(
        linkLife: Double = 4 * 3600,
        tokenLife: Double = 3600,
        faults: [Fault] = []
    ) {
        self.linkLife = linkLife
        self.tokenLife = tokenLife
        self.faults = faults
    }

    /// Uses up one occurrence of a fault, if the fault is due.
    ///
    /// - Parameters:
    ///   - name: the fault.
    ///   - host: the server at which it would happen.
    /// - Returns: the fault if it happens; `nil` if it does not.
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

/// One of the servers of a service, each of which is an origin of its own.
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

/// The methods of each server, and its answer to a wrong request.
extension ServiceHost {
    /// The methods that the server has.
    var methods: Set<String> {
        switch self {
        case .api, .link, .other: ["GET"]
        case .oauth: ["GET", "POST"]
        case .webdav: ["GET", "PROPFIND"]
        }
    }

    /// The answer to a request that no client should make.
    func refusal(_ violation: String) -> ServerAnswer {
        switch self {
        case .api: .apiError(400, "FieldValidationError", violation)
        case .oauth: .oauthError("invalid_request", violation)
        // The link host and WebDAV are behind nginx.
        case .link, .other, .webdav: .page(400)
        }
    }
}
