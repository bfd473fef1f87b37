// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How fast a request was answered, and how fast its bytes have come since.
struct Pace: Sendable {
    /// Seconds from the request to the head of its answer.
    let latency: Double
    /// Seconds since then.
    let seconds: Double
    /// Bytes that came in them.
    let byteCount: Int64

    /// Bytes a second, once there is enough time to tell by: a hundredth of a second.
    var rate: Double? {
        self.seconds > 0.01 ? Double(self.byteCount) / self.seconds : nil
    }
}
