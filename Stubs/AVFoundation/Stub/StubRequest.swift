// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// One line of the log: a request, and what became of it; not Apple's.
public struct StubRequest: Sendable, Hashable {
    /// How a request ended.
    public enum End: Sendable, Hashable {
        /// It has not.
        case running
        /// The delegate finished it.
        case finished
        /// The delegate finished it with an error of this domain and code.
        case failed(domain: String, code: Int)
        /// The player cancelled it.
        case cancelled
        /// The delegate did not take it, or there was none.
        case declined
    }

    /// The first byte asked for.
    public let offset: Int64
    /// How many bytes.
    public let length: Int
    /// Whether the range touches the end.
    public let toEnd: Bool
    /// Whether it asked what the resource is.
    public let asksInformation: Bool
    /// How it ended.
    public internal(set) var end = End.running
    /// How many bytes were delivered before that.
    public internal(set) var delivered: Int64 = 0
    /// In how many portions.
    public internal(set) var portions = 0
}

extension StubRequest: CustomStringConvertible {
    /// In the notation of the reference: `(offset,length,T,end@delivered)`.
    public var description: String {
        "(\(offset),\(length),\(toEnd ? "T" : "F")\(asksInformation ? ",info" : ""),\(end)@\(delivered))"
    }
}
