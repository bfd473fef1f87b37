// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How fast a station sends.
public struct RadioPace: Sendable, Hashable, Codable {
    /// Bytes of sound a second; `nil`: as fast as they are read.
    public var bytesPerSecond: Int64?
    /// How many bytes of sound a connection gets at once, when it begins.
    public var burst: Int64

    /// Makes a pace.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: bytes of sound a second; `nil`: as fast as they are read.
    ///   - burst: how many a connection gets at once.
    public init(bytesPerSecond: Int64? = nil, burst: Int64 = 0) {
        self.bytesPerSecond = bytesPerSecond.map { min(max(1, $0), 1 << 40) }
        self.burst = min(max(0, burst), 1 << 40)
    }

    /// How many bytes may have been sent by a time.
    func allowance(at elapsed: Duration) -> Int64 {
        guard let bytesPerSecond else { return .max }
        return self.burst + Int64(Double(bytesPerSecond) * elapsed.inSeconds)
    }

    /// When so many bytes may have been sent.
    func time(of count: Int64) -> Duration {
        guard let bytesPerSecond, count > self.burst else { return .zero }
        return .seconds(Double(count - self.burst) / Double(bytesPerSecond))
    }
}

extension Duration {
    /// The duration as a number of seconds.
    var inSeconds: Double {
        let (seconds, attoseconds) = self.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
