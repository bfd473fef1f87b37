// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How the times of a stream lie in its bytes.
public struct SeekMap: Sendable {
    /// More than any stream has, in samples and in bytes.
    private static let farthest: Int64 = 1 << 56

    let method: any SeekMethod

    init(_ method: any SeekMethod) { self.method = method }

    /// Starts to look for a time.
    ///
    /// - Parameter time: on the time line of the packets; before the first: the first; past the end: the last.
    /// - Returns: the search, which may be over without a look at the stream.
    public func search(for time: SampleCount) -> SeekSearch {
        // What no stream reaches is cut here, so that no arithmetic behind it meets the ends of 64 bits.
        let cut = min(max(time, SampleCount(-Self.farthest)), SampleCount(Self.farthest))
        return SeekSearch(self.method.search(for: cut))
    }

    /// About when the packet at an offset starts, from what is known without reading.
    ///
    /// - Parameter offset: in the stream; outside of its packets: the nearest.
    /// - Returns: the time and how far it can be trusted; `nil` where only reading can tell.
    public func time(at offset: Int64) -> SeekPoint? {
        self.method.time(at: min(max(offset, 0), Self.farthest))
    }
}

/// How a format finds a time.
protocol SeekMethod: Sendable {
    /// See ``SeekMap/search(for:)``.
    func search(for time: SampleCount) -> any SeekSearching
    /// See ``SeekMap/time(at:)``.
    func time(at offset: Int64) -> SeekPoint?
}
