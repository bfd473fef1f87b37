// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirCipher
import WeirHTTP
import WeirLoader
import WeirSource
import WeirTestKit

/// A copy of the cache folder that `Fixtures/format-1/make` wrote with the program of commit
/// 4550d8f.
struct FormatFixture {
    /// A resource of the cache, as `contents.json` describes it.
    struct Resource: Decodable, CustomTestStringConvertible {
        var url: String
        var display: String
        var identifier: String
        var generation: String
        /// The seed of the plain bytes; `size` is their count.
        var seed: UInt64
        var size: Int64
        /// The count of stored bytes; `held` has the held runs of them.
        var storedLength: Int64
        var held: [[Int64]]
        var entityTag: String?
        var lastModified: String?
        var mediaType: String?
        var name: String?
        var account: String?
        var isPinned: Bool?
        var isImmutable: Bool?
        var volatileQuery: [String]?
        var decrypt: String?
        var key: String?
        var vector: String?

        var testDescription: String { self.url }

        var heldRanges: [Range<Int64>] { self.held.map { $0[0]..<$0[1] } }

        var validator: Validator? {
            if let tag = self.entityTag { return .entityTag(tag) }
            return self.lastModified.map { .lastModified($0, length: self.storedLength) }
        }

        var plainBytes: [UInt8] { FormatFixture.plainBytes(seed: self.seed, count: Int(self.size)) }

        /// The plain bytes readable from the held bytes; of a file in the age format, the cache
        /// holds all bytes.
        var readableRanges: [Range<Int64>] {
            self.decrypt == "age" ? [0..<self.size] : self.heldRanges
        }
    }

    /// The plain bytes as the fixture's script makes them.
    ///
    /// They are the mark of a FLAC file and then words of 64 bits; each word depends on its
    /// position.
    static func plainBytes(seed: UInt64, count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in 0..<UInt64(count / 8 + 1) {
            let word = (number + 1) &* 0x9E37_79B9_7F4A_7C15 &+ seed * seed * 0x100_0193
            withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
        }
        bytes.replaceSubrange(0..<8, with: Array("fLaC".utf8) + [0, 0, 0, 0x22])
        return Array(bytes.prefix(count))
    }

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/format-1")

    static let resources: [Resource] = {
        do {
            let data = try Data(contentsOf: Self.root.appendingPathComponent("contents.json"))
            return try JSONDecoder().decode([Resource].self, from: data)
        } catch {
            preconditionFailure("the fixture of the first format cannot be read: \(error)")
        }
    }()

    let folder = TemporaryDirectory()
    var directory: String { self.folder.path(of: "cache") }

    init() throws {
        try FileManager.default.copyItem(
            atPath: Self.root.appendingPathComponent("cache").path,
            toPath: self.directory
        )
    }

    /// An offline library over the fixture.
    func library(_ change: (inout MediaLibrary.Configuration) -> Void = { _ in }) throws
        -> MediaLibrary
    {
        var options = MediaLibrary.Configuration(directory: self.directory)
        options.isOffline = true
        change(&options)
        return try MediaLibrary(options)
    }

    /// A resource of the fixture, opened with the options of its user.
    func media(_ resource: Resource, in library: MediaLibrary, stored: Bool = false) throws -> Media
    {
        var load = library.configuration.load
        load.isImmutable = resource.isImmutable ?? false
        return library.media(
            try OriginURL(resource.url),
            headers: HTTPHeaderList(),
            account: resource.account,
            load: load,
            volatileQuery: Set(resource.volatileQuery ?? []),
            decryption: stored ? nil : try Self.decryption(of: resource)
        )
    }

    private static func decryption(of resource: Resource) throws -> Decryption? {
        guard let scheme = resource.decrypt, let key = resource.key else { return nil }
        let text = try String(
            contentsOf: Self.root.appendingPathComponent("config/\(key)"),
            encoding: .utf8
        )
        if scheme == "age" {
            return .age(.identities(try AgeIdentity.parseFile(SecretBytes(text.utf8))))
        }
        return try .aes(
            AESFormat(
                .ctr,
                initialVector: .bytes(Self.bytes(ofHexadecimal: resource.vector ?? ""))
            ),
            key: .key(CipherKey(SecretBytes(Self.bytes(ofHexadecimal: text))))
        )
    }

    private static func bytes(ofHexadecimal text: String) -> [UInt8] {
        let digits = Array(text.filter(\.isHexDigit))
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
    }

    /// The data files and journals of the cache, by name.
    func files() throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: self.directory)
        where name.hasSuffix(".data") || name.hasSuffix(".journal") {
            found[name] = try Data(contentsOf: URL(fileURLWithPath: "\(self.directory)/\(name)"))
        }
        return found
    }

    /// The journal of a resource.
    func journal(of resource: Resource) -> String {
        let name = "\(resource.identifier).\(resource.generation).journal"
        return "\(self.directory)/\(resource.identifier.prefix(2))/\(name)"
    }
}
