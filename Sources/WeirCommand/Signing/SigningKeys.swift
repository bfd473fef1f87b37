// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import WeirClouds
import WeirHTTP
import WeirProxy
import WeirSource

/// Keys that sign URLs with an end, for one file or one folder: the first signs, all are good.
///
/// ```
/// /~KEY~RIGHT/NAME/PATH
/// RIGHT = base64url(depth ‖ end ‖ scope ‖ code)
/// scope = SHA-256(path of the file with its query, or of the folder), 16 bytes
/// code  = HMAC-SHA-256(key, "weir url 1" ‖ depth ‖ end ‖ scope), 16 bytes
/// ```
///
/// `depth` is how many components the folder's path has, 255 for a file; `end` is in seconds since 1970, eight bytes, the
/// highest first. Paths are compared as they are decoded, so that a player may spell them in another way.
struct SigningKeys: Sendable {
    /// A key and what it is called.
    private struct Key: Sendable, Equatable {
        let name: String
        let secret: SymmetricKey
    }

    /// How deep a folder may be that is signed.
    private static let deepest = 254
    private static let ofFile: UInt8 = 255
    private static let scopeSize = 16
    private static let rightSize = 1 + 8 + 2 * scopeSize

    private let keys: [Key]
    private let now: @Sendable () -> Int64

    /// Reads the lines of a file: a name, a blank, and a secret of 16 characters or more; `#` begins a remark.
    ///
    /// - Returns: `nil` for anything else, and without a key.
    init?(_ text: String, now: @escaping @Sendable () -> Int64 = WallClock.seconds) {
        var keys: [Key] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" }.split(separator: " ")
            if words.isEmpty { continue }
            guard words.count == 2, ConfiguredSource.isName(words[0]), words[0].utf8.count <= 32,
                words[1].utf8.count >= 16,
                !keys.contains(where: { $0.name == words[0] })
            else { return nil }
            keys.append(
                Key(name: String(words[0]), secret: SymmetricKey(data: Array(words[1].utf8)))
            )
        }
        guard !keys.isEmpty else { return nil }
        self.keys = keys
        self.now = now
    }

    /// A line with a new key: a name that no other has, and 256 random bits.
    static func newLine() -> String {
        func digits(_ count: Int) -> String {
            (0..<2 * count).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
        }
        return "\(digits(4)) \(digits(32))\n"
    }

    /// The path and query that a signed URL has behind its host.
    ///
    /// - Parameters:
    ///   - target: path and query of a file, or of a folder, whose path ends with a slash; a folder's query says what is
    ///     asked of it, and is not signed.
    ///   - end: when the right ends, in seconds since 1970.
    /// - Returns: `nil` for a path that leads upwards, or is too deep.
    func signed(_ target: String, until end: Int64) -> String? {
        guard let (depth, scope) = Self.scope(of: target[...], depth: nil) else { return nil }
        let key = self.keys[0]
        let claim = [depth] + Self.bytes(of: end) + scope
        let right = claim + Self.code(of: claim, by: key.secret)
        return "/~\(key.name)~\(String(base64URL: right))\(target)"
    }

    /// What is signed of a target.
    ///
    /// - Parameters:
    ///   - target: path and query.
    ///   - depth: how deep the folder is that the right is for, or that it is for a file; `nil`: as the path says.
    /// - Returns: how deep it is, and the hash of it; `nil` if the right cannot be for it.
    private static func scope(
        of target: Substring,
        depth: UInt8?
    ) -> (depth: UInt8, hash: [UInt8])? {
        // To an origin two slashes in a row may be another path; no component tells them.
        let isPlain = !target.prefix { $0 != "?" }.contains("//")
        guard isPlain, let path = ServedPath.decoded(target) else { return nil }
        let components = path.componentBytes.map { Array($0) }
        let isFile = depth.map { $0 == Self.ofFile } ?? !path.isFolder
        guard !isFile else {
            // What a file's query says is a part of what it is.
            let query = Array(target.utf8.drop { $0 != UInt8(ascii: "?") })
            return path.isFolder
                ? nil : (Self.ofFile, Self.hash(components, isFolder: false, query))
        }
        let count = depth.map(Int.init) ?? components.count
        guard count <= Self.deepest, components.count > count || path.isFolder,
            components.count >= count
        else { return nil }
        return (UInt8(count), Self.hash(Array(components.prefix(count)), isFolder: true, []))
    }

    private static func hash(
        _ components: [[UInt8]],
        isFolder: Bool,
        _ query: [UInt8]
    ) -> [UInt8] {
        // No component has a slash in it.
        var bytes = components.flatMap { [UInt8(ascii: "/")] + $0 }
        if isFolder { bytes.append(UInt8(ascii: "/")) }
        return Array(SHA256.hash(data: bytes + query).prefix(Self.scopeSize))
    }

    private static func code(of claim: [UInt8], by key: SymmetricKey) -> [UInt8] {
        let data = Array("weir url 1".utf8) + claim
        return Array(HMAC<SHA256>.authenticationCode(for: data, using: key).prefix(Self.scopeSize))
    }

    private static func bytes(of number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private static func bytes(of text: Substring) -> [UInt8]? {
        guard text.utf8.count == (Self.rightSize * 4 + 2) / 3 else { return nil }
        var base64 = String(text).replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64), data.count == Self.rightSize,
            // The last letter has bits that no byte has: of several spellings one is right.
            String(base64URL: data).utf8.elementsEqual(text.utf8)
        else { return nil }
        return Array(data)
    }
}

extension SigningKeys {
    /// Whether these are the same keys.
    func isSame(as other: SigningKeys?) -> Bool { self.keys == other?.keys }

    /// What a target may do, that a signature is for until its end.
    func ruling(on target: Substring) -> AddressRuling? {
        guard target.utf8.starts(with: "/~".utf8),
            let slash = target.utf8.dropFirst().firstIndex(of: UInt8(ascii: "/"))
        else { return nil }
        let parts = target[..<slash].dropFirst(2).split(
            separator: "~",
            omittingEmptySubsequences: false
        )
        guard parts.count == 2 else { return nil }
        let rest = String(target[slash...])
        func refused(_ reason: String) -> AddressRuling {
            .refused(target: rest, reason: reason)
        }
        guard let right = Self.bytes(of: parts[1]) else {
            return refused("The signature of the URL was changed, or cut.")
        }
        guard let key = self.keys.first(where: { $0.name == parts[0] }) else {
            return refused("The URL is signed with the key \(parts[0]), which is not in use.")
        }
        let (claim, code) = (
            Array(right.prefix(right.count - Self.scopeSize)), right.suffix(Self.scopeSize)
        )
        let difference = zip(Self.code(of: claim, by: key.secret), code)
            .reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        guard difference == 0 else { return refused("The signature of the URL was changed.") }
        let end = claim[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard self.now() < Int64(bitPattern: end) else {
            return refused("The URL's time was over.")
        }
        guard let scope = Self.scope(of: rest[...], depth: claim[0]),
            scope.hash == Array(claim[9...])
        else { return refused("The URL is signed for another path.") }
        return .admitted(target: rest)
    }
}

extension SigningKeys {
    /// The keys in a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - makes: whether it is made where there is none, with mode 0600 and one key.
    /// - Returns: `nil` if there is no file.
    /// - Throws: ``CommandError`` if it cannot be read, holds something else, or cannot be made.
    static func stored(in path: String, making makes: Bool = false) throws -> SigningKeys? {
        let text: String
        if FileManager.default.fileExists(atPath: path) {
            guard let read = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw CommandError.usage(
                    "The keys in \(path) cannot be read; make the file readable for you."
                )
            }
            text = read
        } else {
            guard makes else { return nil }
            text = Self.newLine()
            do throws(SourceError) {
                try PrivateFile.makeDirectory((path as NSString).deletingLastPathComponent)
                try PrivateFile.replace(
                    path,
                    with: Array(text.utf8),
                    through: "\(path).\(ProcessInfo.processInfo.processIdentifier)"
                )
            } catch {
                throw CommandError.failed(
                    "The key cannot be kept in \(path); make the folder writable, or name another file as signing-keys."
                )
            }
        }
        guard let keys = SigningKeys(text) else {
            throw CommandError.usage(
                "\(path) holds no keys: a line of it is a name, a blank, and a secret of 16 characters or more."
            )
        }
        return keys
    }
}
