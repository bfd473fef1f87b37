// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio

/// The bytes of a station, pulled piece by piece.
public protocol StationBody: AnyObject, Sendable {
    /// The next bytes, never empty; `nil` when the server has ended the connection.
    ///
    /// Called by one consumer, one call at a time.
    ///
    /// - Throws: `SourceError` when the connection breaks; `CancellationError`, at once, after ``cancel()`` or when the
    ///   calling task is cancelled.
    func next() async throws -> ByteMemory?

    /// Ends the connection: from any thread, any number of times. A pending ``next()`` ends at once.
    func cancel()
}
