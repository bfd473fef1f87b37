// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirCipher

@Suite("Opening an encrypted resource")
struct OpeningTests {
    private struct NoLicence: Error {}

    private static let plain = PatternBytes.bytes(in: 0..<100_000)

    private static func origin(_ scene: CipherScene, _ revision: String = "1") throws
        -> ScriptedSource
    {
        var resource = ScriptedResource(bytes: try scene.stored(Self.plain))
        resource.validator = .revision(revision)
        resource.name = "film.mp4.aes"
        return ScriptedSource(resource)
    }

    private static func provided(
        _ provider: @escaping @Sendable (KeyRequest) async throws -> KeyMaterial
    ) throws -> Decryption {
        try .aes(AESFormat(.ctr, initialVector: .fromKey), key: .provider(provider))
    }

    private static let scene = CipherScene(
        "",
        .aes(AESFormat(.ctr, initialVector: .bytes(CipherScene.vector)), keyLength: 16)
    )

    @Test("a request for a key shows no query, and has an address even if the resource has none")
    func keyRequest() throws {
        let url = try #require(URL(string: "https://cloud.example/film?id=1&token=secret"))
        let request = KeyRequest(url: url, account: "me", resource: "cloud.example/film")
        var text = "\(request) \(String(reflecting: request))"
        dump(request, to: &text)
        #expect(request.url.query == "id=1&token=secret" && !text.contains("secret"))
        #expect(text.contains("cloud.example/film"))
        let unlocated = KeyRequest(resource: "yandex:/Films/ä b?.mp4")
        #expect(unlocated.url.scheme == "weir" && unlocated.url.query == nil)
        #expect(unlocated.url.path(percentEncoded: false) == "yandex:/Films/ä b?.mp4")
    }

    @Test("a key or a vector of an impossible length is refused", arguments: [0, 15, 17, 33])
    func materialOfOddLength(count: Int) throws {
        let odd = Data(repeating: 1, count: count)
        let key = Data(repeating: 1, count: 16)
        #expect { try KeyMaterial(key: odd) } throws: { ($0 as? CipherError)?.code == .invalidKey }
        #expect { try KeyMaterial(key: key, initialVector: odd) } throws: {
            ($0 as? CipherError)?.code == .invalidKey
        }
        #expect(try KeyMaterial(key: key, initialVector: key).initialVector == Array(key))
    }

    @Test(
        "asks a key provider once for each generation, with the resource's name, for any number of readers"
    )
    func provider() async throws {
        let asked = Watched<[KeyRequest]>([])
        let gate = Gate()
        let origin = try Self.origin(Self.scene)
        let decryption = try Self.provided { request in
            asked.update { $0.append(request) }
            try await gate.wait()
            let key = try CipherKey(SecretBytes(CipherScene.key(16)))
            return KeyMaterial(key, initialVector: CipherScene.vector)
        }
        let source = CipherSource(
            origin,
            decryption: decryption,
            for: KeyRequest(resource: "cloud.example/film.mp4.aes")
        )
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { try await source.bytes() == Self.plain }
            }
            try await asked.wait { !$0.isEmpty }
            gate.open()
            for try await isRight in group { #expect(isRight) }
        }
        let request = KeyRequest(resource: "cloud.example/film.mp4.aes", fileName: "film.mp4.aes")
        #expect(asked.value == [request])
        var next = ScriptedResource(bytes: try Self.scene.stored(Array(Self.plain.reversed())))
        next.validator = .revision("2")
        origin.replace(with: next)
        #expect(try await source.bytes() == Self.plain.reversed())
        #expect(asked.value.count == 2)
    }

    @Test("ends with the key provider's error, and asks again for the next reader")
    func refusal() async throws {
        let times = Watched(0)
        let decryption = try Self.provided { _ in
            let time = times.update { times in
                times += 1
                return times
            }
            guard time > 1 else { throw NoLicence() }
            let key = try CipherKey(SecretBytes(CipherScene.key(16)))
            return KeyMaterial(key, initialVector: CipherScene.vector)
        }
        let source = CipherSource(
            try Self.origin(Self.scene),
            decryption: decryption,
            for: KeyRequest(resource: "it")
        )
        await #expect(throws: NoLicence.self) { try await source.bytes() }
        #expect(try await source.bytes() == Self.plain)
    }

    @Test("refuses a key without the vector that it needs")
    func noVector() async throws {
        let decryption = try Self.provided { _ in
            KeyMaterial(try CipherKey(SecretBytes(CipherScene.key(16))))
        }
        let source = CipherSource(
            try Self.origin(Self.scene),
            decryption: decryption,
            for: KeyRequest(resource: "it")
        )
        let error = await #expect(throws: SourceError.self) { try await source.bytes() }
        #expect(error?.code == .invalidRequest)
    }

    @Test(
        "an error names the format of a file that is not in the named format",
        arguments: [
            ("age-encryption.org/v1\n-> X25519 x\n", AESFormat(.ctr), "encrypted with age"),
            ("age-encryption.org/v1\n-> X25519 x\n", AESFormat(.cbc), "encrypted with age"),
            ("age-encryption.org/v1\n-> X25519 x\n", AESFormat(.ecb), "encrypted with age"),
            ("Salted__12345678", AESFormat(.ctr), "openssl enc"),
            ("Salted__12345678", AESFormat(.cbc), "openssl enc"),
            ("Salted__12345678", nil, "openssl enc"),
        ]
    )
    func otherFormat(_ beginning: String, _ format: AESFormat?, _ says: String) async throws {
        let bytes = Array(beginning.utf8) + PatternBytes.bytes(in: 0..<4096)
        let key = try CipherKey(SecretBytes(CipherScene.key(16)))
        let source = CipherSource(
            ScriptedSource(ScriptedResource(bytes: Array(bytes.prefix(4096)))),
            decryption: try format.map { try .aes($0, key: .key(key)) }
                ?? .age(.passphrase(SecretBytes("secret".utf8))),
            for: KeyRequest(resource: "it")
        )
        let error = await #expect(throws: SourceError.self) { try await source.bytes() }
        #expect(error?.code == .wrongKey)
        #expect(error?.message.contains(says) == true)
    }

    @Test("a generation that arrives during the opening of another is opened on its own")
    func otherGeneration() async throws {
        let asked = Watched(0)
        let gate = Gate()
        let origin = try Self.origin(Self.scene)
        let decryption = try Self.provided { _ in
            let time = asked.update { asked in
                asked += 1
                return asked
            }
            if time == 1 { try await gate.wait() }
            let key = try CipherKey(SecretBytes(CipherScene.key(time == 1 ? 32 : 16)))
            return KeyMaterial(key, initialVector: CipherScene.vector)
        }
        let source = CipherSource(origin, decryption: decryption, for: KeyRequest(resource: "it"))
        let early = Task { try await source.bytes() }
        try await asked.wait { $0 == 1 }
        var next = ScriptedResource(bytes: try Self.scene.stored(Array(Self.plain.reversed())))
        next.validator = .revision("2")
        origin.replace(with: next)
        let late = Task { try await source.bytes() }
        try await origin.waitForReads(2)
        gate.open()
        #expect(try await late.value == Self.plain.reversed())
        _ = try? await early.value
    }

    @Test(
        "a key provider without a waiting reader is cancelled, and the next reader asks again"
    )
    func abandoned() async throws {
        let asked = Watched(0)
        let cancelled = Watched(false)
        let decryption = try Self.provided { _ in
            let time = asked.update { asked in
                asked += 1
                return asked
            }
            if time == 1 {
                await withTaskCancellationHandler {
                    try? await Gate().wait()
                } onCancel: {
                    cancelled.update { $0 = true }
                }
            }
            let key = try CipherKey(SecretBytes(CipherScene.key(16)))
            return KeyMaterial(key, initialVector: CipherScene.vector)
        }
        let source = CipherSource(
            try Self.origin(Self.scene),
            decryption: decryption,
            for: KeyRequest(resource: "it")
        )
        let reader = Task { try await source.bytes() }
        try await asked.wait { $0 == 1 }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        try await cancelled.wait { $0 }
        #expect(try await source.bytes() == Self.plain)
    }

    @Test("the availability is reported once the resource can be decrypted")
    func told() async throws {
        let base = ResidentSource(ScriptedResource(bytes: try Self.scene.stored(Self.plain)))
        let source = CipherSource(
            base,
            decryption: try Self.scene.decryption,
            for: KeyRequest(resource: "it")
        )
        var changes = source.availabilityChanges().makeAsyncIterator()
        #expect(await changes.next()?.length == nil)
        _ = try await source.describe()
        var last = await changes.next()
        while last?.length == nil { last = await changes.next() }
        #expect(last?.held == RangeSet(0..<100_000))
    }

    @Test(
        "another key or format gives another generation, and the same key the same one"
    )
    func generations() async throws {
        let base = ResidentSource(ScriptedResource(bytes: try Self.scene.stored(Self.plain)))
        func generation(_ format: AESFormat, _ key: [UInt8]) async throws -> GenerationID? {
            try await CipherSource(
                base,
                decryption: .aes(format, key: .key(CipherKey(SecretBytes(key)))),
                for: KeyRequest(resource: "it")
            ).describe().generation
        }
        let format = AESFormat(.ctr, initialVector: .bytes(CipherScene.vector))
        var other = format
        other.initialCounter = 1
        let first = try await generation(format, CipherScene.key(16))
        #expect(try await generation(format, CipherScene.key(16)) == first)
        #expect(try await generation(format, Array(0..<16)) != first)
        #expect(try await generation(other, CipherScene.key(16)) != first)
        #expect(first != nil && first != GenerationID(rawValue: 1))
    }

    @Test("names the plain file")
    func names() async throws {
        let source = CipherSource(
            try Self.origin(Self.scene),
            decryption: try Self.scene.decryption,
            for: KeyRequest(resource: "it")
        )
        #expect(try await source.describe().name == "film.mp4")
        #expect(OpenedResource.plainName("film.age") == "film")
        #expect(OpenedResource.plainName(".age") == ".age")
        #expect(OpenedResource.plainName("film") == "film")
        #expect(OpenedResource.plainName("Film.MP4.AGE") == "Film.MP4")
    }

    @Test("knows which plain bytes the base holds", arguments: CipherScene.all)
    func availability(_ scene: CipherScene) async throws {
        let count = scene.allows(300_005) ? 300_005 : 300_000
        let plain = PatternBytes.bytes(in: 0..<Int64(count))
        let stored = try scene.stored(plain)
        let held = RangeSet([0..<70_000, 90_000..<221_003, 230_000..<Int64(stored.count)])
        let base = ResidentSource(ScriptedResource(bytes: stored), held: held)
        let source = CipherSource(
            base,
            decryption: try scene.decryption,
            for: KeyRequest(resource: "it")
        )
        #expect(source.availability.held.isEmpty)
        _ = try await source.describe()
        let available = source.availability
        #expect(available.length == Int64(count))
        #expect(!available.held.isEmpty)
        for run in available.held.ranges {
            let slice = try #require(source.residentSlice(.span(run)))
            #expect(slice.range == run)
            let bytes = try slice.load().withUnsafeBytes { Array($0) }
            #expect(bytes == Array(plain[Int(run.lowerBound)..<Int(run.upperBound)]))
            // The next byte is not held.
            if run.upperBound < Int64(count) {
                let more = source.residentSlice(.span(run.lowerBound..<(run.upperBound + 1)))
                #expect(more?.range == run)
            }
        }
    }

    @Test("a format and a key that do not fit together are refused at once")
    func settings() throws {
        let key = try CipherKey(SecretBytes(CipherScene.key(16)))
        let passphrase = SecretBytes(CipherScene.passphrase)
        let wrong: [(AESFormat, AESKeySource)] = [
            (AESFormat(.cbc, initialVector: .bytes([1, 2, 3])), .key(key)),
            (AESFormat(.ctr, initialVector: .bytes(Array(repeating: 0, count: 17))), .key(key)),
            (AESFormat(.ctr, initialVector: .fromKey), .key(key)),
            (AESFormat(.ctr, initialVector: .prefix), .passphrase(passphrase, .pbkdf2())),
            (
                AESFormat(.cbc, initialVector: .fromKey),
                .passphrase(passphrase, .pbkdf2(iterations: 0))
            ),
            (
                AESFormat(.cbc, initialVector: .fromKey),
                .passphrase(passphrase, .pbkdf2(), keyLength: 20)
            ),
            (AESFormat(.ctr, plainHeaderLength: -1), .key(key)),
        ]
        for (format, source) in wrong {
            let error = #expect(throws: CipherError.self) {
                try Decryption.aes(format, key: source)
            }
            #expect(error?.code == .invalidSettings)
        }
        for count in [0, 15, 17, 31, 33] {
            let error = #expect(throws: CipherError.self) {
                try CipherKey(SecretBytes(Array(repeating: 1, count: count)))
            }
            #expect(error?.code == .invalidKey)
        }
    }

    @Test("no text shows a key or a passphrase")
    func secrets() throws {
        let secret = SecretBytes(Array("hush-hush-0123456".utf8.prefix(16)))
        let key = try CipherKey(secret)
        let decryption = try Decryption.aes(
            AESFormat(.cbc, initialVector: .fromKey),
            key: .passphrase(secret, .pbkdf2())
        )
        var text =
            "\(secret) \(String(reflecting: secret)) \(key) \(String(reflecting: key)) \(decryption)"
        dump(decryption, to: &text)
        dump(key, to: &text)
        dump(CipherScene.identity, to: &text)
        dump(KeyMaterial(key), to: &text)
        #expect(!text.contains("hush"))
        #expect(!text.contains("AGE-SECRET"))
        #expect(!text.contains("104, 117, 115, 104"))
    }
}
