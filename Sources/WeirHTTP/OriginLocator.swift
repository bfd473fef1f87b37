// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Says, for every request, where the bytes of a resource are to be had and what is sent along.
///
/// What differs between a plain address, a service whose links expire and a server that wants a fresh signature for
/// each request. The transfer, its retries and its checks are ``HTTPOrigin``'s.
public protocol OriginLocator: Sendable {
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
    public var rulesOnRefusals: Bool { false }

    /// Nothing.
    public func describe() async throws -> ResourceDescription? { nil }

    /// What it means for any origin.
    public func ruling(on refusal: OriginRefusal) async -> RefusalRuling { .standard }

    /// No.
    public func hasEnded(_ location: OriginLocation) -> Bool { false }

    /// Nothing.
    public func bytesFlow() {}
}
