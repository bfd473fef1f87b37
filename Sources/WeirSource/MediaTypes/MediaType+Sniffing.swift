// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MediaType {
    /// The type that the first bytes of a resource show.
    ///
    /// 512 bytes tell every format that can be told; more help only where an ID3 tag or an Ogg header
    /// stands in front. The bytes are only looked at, never past their end, in time proportional to
    /// their number.
    ///
    /// What is commonly sent instead of media is recognised, too: HTML, XML, JSON, images, archives.
    ///
    /// - Parameter bytes: the start of the resource, as much as there is.
    /// - Returns: `nil` if nothing is recognised, or too few bytes are there to be sure.
    public static func sniffed(from bytes: UnsafeRawBufferPointer) -> MediaType? {
        SniffedContent(of: ByteWindow(bytes))?.type
    }

    /// The type that the first bytes of a resource show.
    public static func sniffed(from bytes: [UInt8]) -> MediaType? {
        bytes.withUnsafeBytes { Self.sniffed(from: $0) }
    }
}
