// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// One way in which a station's answer differs from a polite `HTTP/1.0 200 OK`.
///
/// Bytes are of the sound, or of what stands in its place; titles are not counted.
public enum RadioQuirk: Sendable, Hashable {
    /// The answer begins with `ICY 200 OK`.
    case icy
    /// The answer begins with `HTTP/1.1 200 OK` and lasts until the connection closes.
    case http11
    /// The answer is HTTP/1.1 in the chunked coding.
    case chunked
    /// Lines of the head end with a line feed alone.
    case lineFeeds
    /// Fields are written without a blank: `icy-br:128`.
    case tightColons
    /// Fields are written with a blank before the colon: `icy-br : 128`.
    case looseColons
    /// Names and titles are in ISO 8859-1.
    case latin1
    /// How many bytes lie between titles; 0 for a station without titles.
    case metaint(Int)
    /// The body is written in portions of these sizes, round and round, each by itself.
    case portions([Int])
    /// A page comes in the place of sound, with 200.
    case page
    /// The head breaks off in its middle, with the connection.
    case halfHead
    /// Another status than 200.
    case status(Int, retryAfter: Int? = nil)
    /// The stream is at another address, which holds a token: 302. The token lasts so many seconds and requests;
    /// afterwards it is answered with 403. `nil` for no limit.
    case redirect(life: Double? = nil, uses: Int? = nil)
    /// So many bytes that are no sound come first.
    case garbage(Int64)
    /// The connection is closed after so many seconds.
    case close(seconds: Double)
    /// The connection is closed after so many bytes.
    case cut(after: Int64)
    /// After so many bytes nothing comes for so many seconds; `nil`: until ``RadioServer/endStalls()``.
    case stall(after: Int64, seconds: Double? = nil)
    /// After so many bytes the programme's second file is sent, from its start, under the type of the first.
    case change(after: Int64)
    /// When the connection has ended, no other is taken for so many seconds.
    case refuse(seconds: Double)
}
