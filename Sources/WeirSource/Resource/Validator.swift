// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What tells one generation of a resource from another.
///
/// Two bytes may be joined only if the validators of the answers they came in are equal. Every case
/// is strong: it changes whenever a byte does, as far as the origin keeps its promise.
public enum Validator: Hashable, Sendable {
    /// A strong entity tag with its quotes, as it stood in the `ETag` field (RFC 9110 §8.8.3).
    case entityTag(String)
    /// A `Last-Modified` field that is strong by RFC 9110 §8.8.2.2, with the length of the resource.
    case lastModified(String, length: Int64)
    /// What a service calls a revision: a hash, a version number.
    case revision(String)
}
