// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Gives the location of a resource's bytes, and the fields for it, for every request.
///
/// Locators differ between a plain address, a service with expiring links and a server that needs a
/// signature for each request. ``HTTPOrigin`` does the transfer, its retries and its checks.
package protocol OriginLocator: Sendable {
    /// The resource's name in messages.
    var resource: ResourceName { get }

    /// Whether ``ruling(on:)`` gets refusals; if not, they have the standard meaning.
    var rulesOnRefusals: Bool { get }

    /// The location for a range.
    ///
    /// Called before every request, so a locator returns its cached location while that is valid.
    ///
    /// - Parameters:
    ///   - range: the range of the request.
    ///   - refused: the location that is no longer valid, if that is the reason for the call. The
    ///     locator then returns another one; concurrent calls share one request.
    /// - Returns: a location that is valid for at least the time of a request.
    /// - Throws: `SourceError`, `CancellationError`.
    func location(for range: RequestedRange, after refused: OriginLocation?) async throws
        -> OriginLocation

    /// The service's own description of the resource; `nil` if only a response with its bytes
    /// describes it.
    ///
    /// - Throws: `SourceError`, `CancellationError`.
    func describe() async throws -> ResourceDescription?

    /// Rules on a refusal.
    func ruling(on refusal: OriginFailure) async -> FailureRuling

    /// Whether a location has expired or been replaced.
    ///
    /// If so, a body from this location that broke off continues from the next location without a
    /// pause.
    func hasEnded(_ location: OriginLocation) -> Bool

    /// Called while bytes of a location flow, at most once for each piece of a body.
    ///
    /// The locator can then request the next location before this one expires. The method returns
    /// at once.
    func bytesFlow()
}

extension OriginLocator {
    /// `false`.
    package var rulesOnRefusals: Bool { false }

    /// `nil`.
    package func describe() async throws -> ResourceDescription? { nil }

    /// The standard ruling.
    package func ruling(on refusal: OriginFailure) async -> FailureRuling { .standard }

    /// `false`.
    package func hasEnded(_ location: OriginLocation) -> Bool { false }

    /// Does nothing.
    package func bytesFlow() {}
}

/// A refusal: the response of a location instead of the bytes.
public struct OriginFailure: Sendable {
    /// The requested location.
    public var location: OriginLocation
    /// Whether the location itself refused, not the target of its redirect.
    public var isDirect: Bool
    /// The status of the response, 400 to 599.
    public var status: Int
    /// The fields of the response.
    public var headers: HTTPHeaderList
    /// The start of its body, at most 16 KiB.
    public var body: [UInt8]
    /// How many refusals this exchange has seen, including this one.
    public var repetition: Int

    /// Creates a refusal.
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

/// The meaning of a refusal, and the action that follows.
public enum FailureRuling: Sendable {
    /// The refusal has the same meaning as from any HTTP origin.
    case standard
    /// The location is no longer valid: get another one at once; after too many, fail with this
    /// error.
    case locateAnew(otherwise: SourceError)
    /// The refusal is temporary: retry after the service's pause, or after one that Weir chooses.
    case transient(after: Duration?)
    /// The refusal is final.
    case refused(SourceError)
}

/// A locator with one fixed address, and the fields that its user gave.
struct FixedLocator: OriginLocator {
    let resource: ResourceName
    private let location: OriginLocation

    init(_ url: OriginURL, headers: HTTPHeaderList) {
        self.resource = ResourceName(url)
        var location = OriginLocation(url: url, headers: headers, hidesPath: false)
        if let user = url.userInfo { location.authorize(user, by: PasswordAuthorizer(user)) }
        self.location = location
    }

    func location(for range: RequestedRange, after refused: OriginLocation?) -> OriginLocation {
        self.location
    }
}
