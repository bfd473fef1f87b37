// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// The body of an answer: pulled piece by piece, never ahead of whoever pulls by more than one piece.
public protocol HTTPBody: AnyObject, Sendable {
    /// The next bytes, never empty; `nil` at the end that the framing of the body announced.
    ///
    /// Called by one consumer, one call at a time.
    ///
    /// - Throws: ``HTTPTransportError`` when the body breaks off before its end; `CancellationError`, at
    ///   once, after ``cancel()`` or when the calling task is cancelled.
    func next() async throws -> ByteMemory?

    /// Ends the body and its connection: from any thread, at any time, any number of times. A pending
    /// ``next()`` ends at once.
    func cancel()
}
