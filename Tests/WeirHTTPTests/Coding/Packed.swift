// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirSource

@testable import WeirHTTP

/// Six kilobytes of words, packed by Python's gzip and zlib.
enum Packed {
    static let content = Array(
        (0..<300).map { "\($0 % 13) weirs hold water. " }.joined().utf8
    )
    static let gzip = Self.bytes(
        "H4sIAAAAAAAC/+3QuwmAQBQF0VZeBbLr33IEBQVBWIVt3wYmN5l0ontPirqf5Ynjvrao67uXJjK0FloHrYc2QBuh"
            + "TdBmaAttThTpSaYrSQYZZJBBBhlkkEEGGWSQQQYZZJBBBhlkkEEGGX5n+ACnBWvitRcAAA=="
    )
    /// Two gzip members; the header of the first contains a file name.
    static let members = Self.bytes(
        "H4sICAAAAAAC/3NvbmcubXAzADNQKE/NLCpWyMjPSVEoTyxJLdJTMMQiZoRFzBiLmAkWMVMsYmZYxMyxiFlgEbPE"
            + "5mYDbILYfGKIzSsGgyUYAC6BieqQAQAAH4sIAAAAAAAC/+3Q2wmAMBTA0FXuBMX6dhxBQUEQqtD1XSAbmN9Afk5J"
            + "MUXdz/LEcV9b1PXdS4oZ2gItNxQzxRYi3tDo7aD10AZoIzQZZJBBBhlkkEEGGWSQQQYZZJBBBhlkkEGGHzJ8hj2i"
            + "jSUWAAA="
    )
    /// The content in the zlib format (RFC 1950).
    static let zlib = Self.bytes(
        "eJzt0MsJgDAQBuFWtgJJfFuOoKAgCFFI+zYwZ09zHVjY/0tR97M8cdzXFnV999JEhtZC66D10AZoI7QJ2gxtoZ8T"
            + "RVqSaQpeyyCDDDLIIIMMMsgggwwyyCCDDDLIIIMMMsggw68MH4P6EBY="
    )
    /// The content in the raw deflate format (RFC 1951).
    static let raw = Self.bytes(
        "7dC7CYBAFAXRVl4FsuvfcgQFBUFYhW3fBiY3mXSie0+Kup/lieO+tqjru5cmMrQWWgethzZAG6FN0GZoC21OFOlJ"
            + "pitJBhlkkEEGGWSQQQYZZJBBBhlkkEEGGWSQQQYZfmf4AA=="
    )

    private static func bytes(_ text: String) -> [UInt8] {
        Data(base64Encoded: text).map(Array.init) ?? []
    }

    /// The plain bytes of a body that arrives in these pieces.
    static func unpacked(
        _ pieces: [[UInt8]],
        _ coding: ContentCoding = .gzip
    ) async throws -> [UInt8] {
        let body = UnpackedBody(
            ScriptedBody(pieces.filter { !$0.isEmpty }.map { .bytes($0) }),
            coding: coding
        )
        var bytes: [UInt8] = []
        while let memory = try await body.next() { bytes += memory.array }
        return bytes
    }
}
