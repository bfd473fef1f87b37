// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// An answer that is none: what a location said instead of the bytes.
public struct OriginRefusal: Sendable {
    /// The location that was asked.
    public var location: OriginLocation
    /// Whether the location itself said it, not somebody it had sent us to.
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
