// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import WeirClouds
import WeirHTTP
import WeirProxy
import WeirSource

/// Keys that sign URLs of a file or a folder until an end time: the first key signs, and all keys
/// verify.
///
/// ```
/// /~KEY~RIGHT/NAME/PATH
/// RIGHT = base64url(depth ‖ end ‖ scope ‖ code)
/// scope = SHA-256(path of the file, 00 ‖ its query if it has one; or path of the folder), 16 bytes
/// code  = HMAC-SHA-256(key, "weir url 2" ‖ depth ‖ end ‖ scope), 16 bytes
/// ```
///
/// `depth` is the number of components in the folder's path, or 255 for a file. `end` is in seconds
/// since 1970, eight bytes, big-endian.
///
/// The signature covers the path and the query byte for byte, as a client requests them from a web
/// server. A player may percent-encode a path differently. So two more spellings are compared: the
/// normal form (RFC 3986 §6.2.2), and the path with everything encoded as by
/// ``ServedPath/encoded(_:)``. Weir requests the signed spelling, so a signature opens one resource
/// only.
struct SigningKeys: Sendable {
    /// A key and its name.
    private struct Key: Sendable, Equatable {
        let name: String
        let secret: SymmetricKey
    }

    /// The deepest folder that can be signed.
    private static let deepest = 254
    private static let ofFile: UInt8 = 255
    private static let scopeSize = 16
    private static let rightSize = 1 + 8 + 2 * scopeSize

    private let keys: [Key]
    private let now: @Sendable () -> Int64

    /// Reads the lines of a file: a name, a blank, and a secret; `#` begins a comment.
    ///
    /// A name has at most 32 characters, and a secret has 16 bytes or more.
    ///
    /// - Returns: `nil` for any other text, for two keys with one name, and for a text without a
    ///   key.
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

    /// A line with a new key: a random name and 256 random bits.
    static func newLine() -> String {
        func digits(_ count: Int) -> String {
            (0..<2 * count).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
        }
        return "\(digits(4)) \(digits(32))\n"
    }

    /// The path and the query of a signed URL.
    ///
    /// - Parameters:
    ///   - target: path and query of a file, or of a folder, whose path ends with a slash. The
    ///     query of a folder selects an operation and is not signed.
    ///   - end: the end of the right, in seconds since 1970.
    /// - Returns: `nil` for a path that leads out of its root, or is too deep.
    func signed(_ target: String, until end: Int64) -> String? {
        guard let named = Target(target[...]) else { return nil }
        let isFile = !named.path.hasSuffix("/")
        let count = isFile ? Int(Self.ofFile) : named.components.count
        guard isFile || count <= Self.deepest, let depth = UInt8(exactly: count) else { return nil }
        let claim = [depth] + Self.bytes(of: end) + Self.scope(named.scope(depth, .asAsked))
        let right = claim + Self.code(of: claim, by: self.keys[0].secret)
        return "/~\(self.keys[0].name)~\(String(base64URL: right))\(named.path)\(named.query)"
    }

    /// The path and the query of a URL, as a client requests them from a web server.
    private struct Target {
        /// The spellings of a path that may be signed.
        enum Spelling: CaseIterable {
            case asAsked
            /// In the normal form of RFC 3986 §6.2.2.
            case normal
            /// With everything percent-encoded except unreserved characters.
            case encoded
        }

        let path: String
        /// With its question mark; empty if there is no query.
        let query: String

        /// The names in the path, percent-encoded.
        var components: [Substring] { self.path.split(separator: "/") }

        /// - Returns: `nil` for a path that leads out of its root, or that is ambiguous.
        init?(_ target: Substring) {
            // An origin may distinguish two slashes in a row from one, but the components do not.
            guard let (path, query) = ServedPath.asked(target), path.hasPrefix("/"),
                !path.contains("//"), !path.contains("#"), ServedPath.decoded(path[...]) != nil
            else { return nil }
            (self.path, self.query) = (path, query)
        }

        /// The bytes that a right for this target must cover.
        ///
        /// - Parameters:
        ///   - depth: the depth of the right's folder, or 255 for a file.
        ///   - spelling: the spelling of the path.
        /// - Returns: the bytes; `nil` if no right of this depth can cover the target.
        func scope(_ depth: UInt8, _ spelling: Spelling) -> [UInt8]? {
            guard depth != SigningKeys.ofFile else {
                guard !self.path.hasSuffix("/") else { return nil }
                let path = Array(self.spelled(self.path[...], spelling).utf8)
                return self.query.isEmpty ? path : path + [0] + self.query.utf8
            }
            return self.folder(depth).map { Array(self.spelled($0, spelling).utf8) }
        }

        /// The target, with the covered part in another spelling.
        func target(_ depth: UInt8, _ spelling: Spelling) -> String {
            let named = depth == SigningKeys.ofFile ? self.path[...] : self.folder(depth) ?? ""
            return self.spelled(named, spelling) + self.path[named.endIndex...] + self.query
        }

        /// The folder in the path at a depth, with a slash at its end; `nil` if the path is not
        /// that deep.
        private func folder(_ depth: UInt8) -> Substring? {
            let slashes = self.path.utf8.indices.lazy.filter {
                self.path.utf8[$0] == UInt8(ascii: "/")
            }
            return slashes.dropFirst(Int(depth)).first.map { self.path[...$0] }
        }

        private func spelled(_ path: Substring, _ spelling: Spelling) -> String {
            switch spelling {
            case .asAsked: String(path)
            case .normal: PercentCoding.normalized(path)
            case .encoded:
                path.split(separator: "/", omittingEmptySubsequences: false).map {
                    PercentCoding.component(PercentCoding.decodedBytes($0))
                }.joined(separator: "/")
            }
        }
    }

    private static func scope(_ named: [UInt8]?) -> [UInt8] {
        Array(SHA256.hash(data: named ?? []).prefix(Self.scopeSize))
    }

    private static func code(of claim: [UInt8], by key: SymmetricKey) -> [UInt8] {
        let data = Array("weir url 2".utf8) + claim
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
            // The last letter has unused bits, so several spellings decode to these bytes. Only one
            // is valid.
            String(base64URL: data).utf8.elementsEqual(text.utf8)
        else { return nil }
        return Array(data)
    }
}

extension SigningKeys {
    /// Whether these are the same keys.
    func isSame(as other: SigningKeys?) -> Bool { self.keys == other?.keys }

    /// The ruling on a signed target; `nil` if the target is not signed.
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
            return refused("The URL has expired.")
        }
        // The right for a playlist is also one for the items below its path.
        let nested = claim[0] == Self.ofFile ? NestedTarget(rest[...]) : nil
        let covered = nested.map { "\($0.base)\($0.query)" } ?? rest
        let target = Target(covered[...])
        let spelling = Target.Spelling.allCases.first { spelling in
            target?.scope(claim[0], spelling).map { Self.scope($0).elementsEqual(claim[9...]) }
                ?? false
        }
        guard let target, let spelling else {
            return refused("The URL is signed for another path.")
        }
        guard let nested else { return .admitted(target: target.target(claim[0], spelling)) }
        let list = target.target(claim[0], spelling)
        let path = list.prefix { $0 != "?" }
        let below = rest[nested.base.endIndex..<nested.query.startIndex]
        return .admitted(target: "\(path)\(below)\(list[path.endIndex...])")
    }
}

extension SigningKeys {
    /// The keys in a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - makes: whether to create a missing file, with mode 0600 and one key.
    /// - Returns: `nil` if there is no file.
    /// - Throws: ``CommandError`` if the file cannot be read, has other content, or cannot be
    ///   created.
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
                    "The key cannot be stored in \(path); make the folder writable, or name another file as"
                        + " signing-keys."
                )
            }
        }
        guard let keys = SigningKeys(text) else {
            throw CommandError.usage(
                "\(path) holds no keys; each line must be a name, a space, and a secret of 16 characters or more."
            )
        }
        return keys
    }
}
