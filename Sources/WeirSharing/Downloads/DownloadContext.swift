// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache

/// What the application stores with a download, to make its medium again after a restart.
package struct DownloadContext: Hashable, Sendable {
    /// Most bytes of a context: a queue at its limit still fits into a message, and its file into memory.
    package static let maximumCount = 4096

    /// The application's bytes; nothing here reads them.
    package let bytes: [UInt8]

    /// A download that the application says nothing of.
    package static let empty = DownloadContext(unchecked: [])

    /// Takes the application's bytes.
    ///
    /// - Returns: `nil` for more than ``maximumCount``.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= Self.maximumCount else { return nil }
        self.init(unchecked: Array(bytes))
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

/// The count of the bytes in 32 bits, and the bytes.
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
