// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a key is asked for: see ``Decryption``.
public struct KeyRequest: Hashable, Sendable {
    /// The resource, as it is called in sentences; no query and no credential is in it.
    public var resource: String
    /// The file name that the origin tells, without a folder; `nil` if it tells none.
    public var fileName: String?

    /// Names a resource.
    public init(resource: String, fileName: String? = nil) {
        self.resource = resource
        self.fileName = fileName
    }
}
