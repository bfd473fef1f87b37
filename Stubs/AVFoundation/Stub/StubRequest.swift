// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// One entry of the log: a request and its outcome; not Apple's.
public struct StubRequest: Sendable, Hashable {
    /// How a request ended.
    public enum End: Sendable, Hashable {
        /// It has not ended.
        case running
        /// The delegate finished it.
        case finished
        /// The delegate finished it with an error of this domain and code.
        case failed(domain: String, code: Int)
        /// The player cancelled it.
        case cancelled
        /// The delegate declined it, or there was no delegate.
        case declined
    }

    /// The first requested byte.
    public let offset: Int64
    /// How many bytes are requested.
    public let length: Int
    /// Whether the range touches the end.
    public let toEnd: Bool
    /// Whether it asked for content information.
    public let asksInformation: Bool
    /// How it ended.
    public internal(set) var end = End.running
    /// How many bytes were delivered before its end.
    public internal(set) var delivered: Int64 = 0
    /// How many chunks were delivered.
    public internal(set) var portions = 0
}

extension StubRequest: CustomStringConvertible {
    /// In the notation of the reference: `(offset,length,T,end@delivered)`.
    public var description: String {
        "(\(offset),\(length),\(toEnd ? "T" : "F")\(asksInformation ? ",info" : ""),\(end)@\(delivered))"
    }
}
