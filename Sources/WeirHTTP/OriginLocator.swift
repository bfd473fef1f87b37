// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Says, for every request, where the bytes of a resource are to be had and what is sent along.
///
/// What differs between a plain address, a service with links that expire and a server that wants a fresh signature for
/// each request. The transfer, its retries and its checks are ``HTTPOrigin``'s.
package protocol OriginLocator: Sendable {
    /// How the resource is called in sentences.
    var resource: ResourceName { get }

    /// Whether ``ruling(on:)`` wants to see refusals; if not they mean what they mean for any origin.
    var rulesOnRefusals: Bool { get }

    /// Where to ask for a range; called before every request, so it answers from what it knows while that holds.
    ///
    /// - Parameters:
    ///   - range: what will be asked for.
    ///   - refused: the location that no longer holds, if that is why it is asked; another one is returned then, though
    ///     any number of readers ask at once, got by one request.
    /// - Returns: a location that holds for at least as long as a request takes.
    /// - Throws: `SourceError`, `CancellationError`.
    func location(for range: RequestedRange, after refused: OriginLocation?) async throws
        -> OriginLocation

    /// What the resource is, as the service tells without its bytes; `nil` if only its address can tell.
    ///
    /// - Throws: `SourceError`, `CancellationError`.
    func describe() async throws -> ResourceDescription?

    /// Rules on a refusal.
    func ruling(on refusal: OriginRefusal) async -> RefusalRuling

    /// Whether a location has ended, or been replaced; then a body from it that broke off is continued from the next one
    /// without a pause.
    func hasEnded(_ location: OriginLocation) -> Bool

    /// Called while bytes of a location flow, at most once for each piece of a body: the moment to get the next
    /// location ahead of the end of this one.
    ///
    /// Returns at once.
    func bytesFlow()
}

extension OriginLocator {
    /// No.
    package var rulesOnRefusals: Bool { false }

    /// Nothing.
    package func describe() async throws -> ResourceDescription? { nil }

    /// What it means for any origin.
    package func ruling(on refusal: OriginRefusal) async -> RefusalRuling { .standard }

    /// No.
    package func hasEnded(_ location: OriginLocation) -> Bool { false }

    /// Nothing.
    package func bytesFlow() {}
}

/// An answer that is none: what a location said instead of the bytes.
public struct OriginRefusal: Sendable {
    /// The location that was asked.
    public var location: OriginLocation
    /// Whether the location itself said it, not an address that it redirected to.
    public var isDirect: Bool
    /// The status of the answer, 400 to 599.
    public var status: Int
    /// The fields of the answer.
    public var headers: HTTPHeaderList
    /// The start of its body, at most 16 KiB.
    public var body: [UInt8]
    /// How many answers in a row were refusals in this question, this one included.
    public var repetition: Int

    /// Describes a refusal.
    public init(
        location: OriginLocation,
        isDirect: Bool,
        status: Int,
        headers: HTTPHeaderList,
        body: [UInt8],
        repetition: Int
    ) {
        self.location = location
        self.isDirect = isDirect
        self.status = status
        self.headers = headers
        self.body = body
        self.repetition = repetition
    }
}

/// What a refusal means, and what follows from it.
public enum RefusalRuling: Sendable {
    /// What it means for any HTTP origin.
    case standard
    /// The location no longer holds: get another one and ask again, at once; or, if that was done already, fail so.
    case locateAnew(otherwise: SourceError)
    /// It goes away by itself; after a pause that the service names, or that is Weir's to choose.
    case transient(after: Duration?)
    /// It is final.
    case refused(SourceError)
}

/// One address for good, with the fields that its user gave.
struct FixedLocator: OriginLocator {
    let resource: ResourceName
    private let location: OriginLocation

    init(_ url: OriginURL, headers: HTTPHeaderList) {
        self.resource = ResourceName(url)
        var location = OriginLocation(url: url, headers: headers, hidesPath: false)
        if !headers.contains("Authorization"), let user = url.userInfo {
            let basic = user.basicCredentials
            location.headers.append("Authorization", basic, readIn: "its address")
            location.authorizer = PasswordAuthorizer(user)
        }
        self.location = location
    }

    func location(for range: RequestedRange, after refused: OriginLocation?) -> OriginLocation {
        self.location
    }
}
