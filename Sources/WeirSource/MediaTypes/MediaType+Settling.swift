// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MediaType {
    /// The type of a resource, from everything that is known of it.
    ///
    /// Content leads; then the origin's header, unless it ``isUninformative``; then the name. Where the
    /// content shows a container but not what is in it, header or name may choose among the types
    /// that the container allows: bytes that look like `video/mp4` are `audio/mp4` if the header or the
    /// extension `m4a` says so.
    ///
    /// - Parameters:
    ///   - content: what ``sniffed(from:)-(UnsafeRawBufferPointer)`` returned.
    ///   - declared: the origin's `Content-Type`.
    ///   - fileExtension: of the resource's name, without the dot.
    /// - Returns: a ``canonical`` type, or `nil` if nothing is known.
    public static func settled(
        content: MediaType?,
        declared: MediaType?,
        fileExtension: String?
    ) -> MediaType? {
        Self.settled(
            content: content.map(SniffedContent.init(undecided:)),
            declared: declared,
            fileExtension: fileExtension
        )
    }

    static func settled(
        content: SniffedContent?,
        declared: MediaType?,
        fileExtension: String?
    ) -> MediaType? {
        let header = declared.flatMap { $0.isUninformative ? nil : $0.canonical }
        let named = fileExtension.flatMap { MediaType(fileExtension: $0) }
        guard let content else { return header ?? named }
        for candidate in [header, named].compactMap({ $0 }) where content.allows(candidate) {
            return candidate
        }
        return content.type
    }
}
