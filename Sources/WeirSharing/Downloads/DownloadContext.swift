// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache

/// The application's data for a download, from which it creates the medium again after a restart.
package struct DownloadContext: Hashable, Sendable {
    /// The maximum size of a context in bytes: a full queue then still fits into a message and into
    /// memory.
    package static let maximumCount = 4096

    /// The application's bytes, which Weir does not interpret.
    package let bytes: [UInt8]

    /// The context of a download for which the application stores no data.
    package static let empty = DownloadContext(unchecked: [])

    /// Creates a context from the application's bytes.
    ///
    /// - Returns: `nil` for more than ``maximumCount`` bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= Self.maximumCount else { return nil }
        self.init(unchecked: Array(bytes))
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

/// The number of bytes in 32 bits, then the bytes.
extension DownloadContext: WireValue {
    init(from buffer: inout WireBuffer) throws(CacheError) {
        let count = Int(clamping: try buffer.read(UInt32.self))
        guard count <= Self.maximumCount, let bytes = buffer.take(count) else {
            throw CacheError.otherVersion
        }
        self.init(unchecked: Array(bytes))
    }

    func write(to buffer: inout WireBuffer) {
        buffer.write(UInt32(clamping: self.bytes.count))
        buffer.append(self.bytes)
    }
}
