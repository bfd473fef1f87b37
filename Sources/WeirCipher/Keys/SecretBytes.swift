// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Bytes that are overwritten when their last reference ends, and that no text shows.
///
/// A caller that copies the bytes must wipe the copy itself.
public final class SecretBytes: Sendable {
    /// The number of bytes.
    public let count: Int
    /// Written before the initializer returns, only read after it, and freed by `deinit`.
    private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer

    /// Allocates memory and fills it.
    ///
    /// - Parameters:
    ///   - count: the number of bytes.
    ///   - fill: fills the memory, which is all zeros before.
    public init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        self.count = count
        self.memory = .allocate(byteCount: count, alignment: 16)
        self.memory.initializeMemory(as: UInt8.self, repeating: 0)
        try fill(self.memory)
    }

    /// Copies bytes; the caller must wipe the original.
    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Lends the bytes during the call.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(self.memory))
    }

    /// Overwrites memory with zeros, in a way that an optimizer cannot remove.
    static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        guard let start = memory.baseAddress, !memory.isEmpty else { return }
        #if canImport(Darwin)
        _ = memset_s(start, memory.count, 0, memory.count)
        #else
        explicit_bzero(start, memory.count)
        #endif
    }

    deinit {
        Self.wipe(self.memory)
        self.memory.deallocate()
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of bytes, and nothing else.
    public var description: String { "\(self.count) secret bytes" }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
