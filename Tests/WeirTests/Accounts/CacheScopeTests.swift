// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCache
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("The scope of a credential without an account")
struct CacheScopeTests {
    private let folder = TemporaryDirectory()

    private var keyFile: String { self.folder.path(of: "scope.key") }

    private func name(_ scope: CredentialScope, secret: [UInt8]? = nil) -> String {
        CacheScopes(directory: self.folder.path, fleetSecret: secret)[nil, scope].name
    }

    /// The credentials of a request, made of few parts, so that many requests have parts in common.
    private struct Sent: Hashable {
        var user: String?
        var headers: [[String]]

        init(_ generator: inout SeededGenerator) {
            let values = ["", "a", "b", "ab", "1:a", "a,b", "Bearer a", "bearer a", "å"]
            if generator.next() % 3 == 0 {
                self.user = "\(values.dropFirst().randomElement(using: &generator) ?? "")"
                    .addingPercentEncoding(
                        withAllowedCharacters: .alphanumerics
                    )
            }
            self.headers = (0..<Int(generator.next() % 3)).map { _ in
                [
                    ["authorization", "cookie", "x-key"].randomElement(using: &generator) ?? "",
                    values.randomElement(using: &generator) ?? "",
                ]
            }
            // The order of fields with different names does not matter.
            self.headers = ["authorization", "cookie", "x-key"].flatMap { name in
                self.headers.filter { $0[0] == name }
            }
        }

        func scope() throws -> CredentialScope {
            let url = try OriginURL("http://\(self.user.map { "\($0):p@" } ?? "")h/a.mp3")
            let fields = try self.headers.map { try HTTPHeader(name: $0[0], value: $0[1]) }
            return url.credentialScope(with: HTTPHeaderList(fields))
        }
    }

    @Test(
        "is the same for two requests exactly when they send the same credential",
        arguments: 1...20
    )
    func isInjective(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let scopes = CacheScopes(directory: self.folder.path, fleetSecret: nil)
        var names: [String: Sent] = [:]
        for _ in 0..<300 {
            let sent = Sent(&generator)
            let scope = scopes[nil, try sent.scope()]
            #expect(
                (sent.user == nil && sent.headers.isEmpty) == (scope == .everyone),
                "seed \(seed)"
            )
            #expect(names.updateValue(sent, forKey: scope.name) ?? sent == sent, "seed \(seed)")
            for header in sent.headers where header[1].count > 3 {
                #expect(!scope.name.contains(header[1]) && !scope.account.contains(header[1]))
            }
        }
        #expect(Set(names.values).count == names.count && names.count > 30)
    }

    @Test("differs from the scope of every account, also of an account with the same name")
    func isNoAccount() throws {
        let scopes = CacheScopes(directory: self.folder.path, fleetSecret: nil)
        let unnamed = scopes[nil, .credential("t")]
        #expect(scopes["t", .credential("t")].name == "t")
        #expect(scopes[unnamed.account, .everyone] != unnamed)
        #expect(scopes["", .credential("t")] == unnamed)
        #expect(scopes[nil, .account("t")] == scopes["t", .everyone])
    }

    @Test("ignores headers without a credential, and signatures share one scope")
    func leavesOut() throws {
        let scopes = CacheScopes(directory: self.folder.path, fleetSecret: nil)
        let polite = try HTTPHeaderList(["User-Agent": "x", "Referer": "y", "Accept-Encoding": "z"])
        let plain = try OriginURL("http://h/a")
        let signed = try OriginURL("http://h/a?X-Amz-Signature=1&X-Amz-Date=2")
        #expect(scopes[nil, of: plain, with: polite] == .everyone)
        #expect(scopes[nil, of: signed, with: polite].name == "query:signature")
        #expect(scopes["me", of: signed, with: polite].name == "me")
        let both = scopes[nil, of: signed, with: try HTTPHeaderList(["Authorization": "x"])]
        #expect(both == scopes[nil, of: plain, with: try HTTPHeaderList(["authorization": "x"])])
    }

    @Test("has a name made with a key that only the user may read, and that outlives the library")
    func keepsKey() throws {
        let name = self.name(.credential("t"))
        #expect(self.name(.credential("t")) == name)
        let attributes = try FileManager.default.attributesOfItem(atPath: self.keyFile)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.size] as? Int == 32)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: self.folder.path) == ["scope.key"]
        )
        try FileManager.default.removeItem(atPath: self.keyFile)
        #expect(self.name(.credential("t")) != name)
    }

    @Test("a key that was cut off or is too long is replaced", arguments: [0, 1, 31, 33, 100])
    func replacesDamagedKey(size: Int) throws {
        try Data(repeating: 7, count: size).write(to: URL(filePath: self.keyFile))
        let name = self.name(.credential("t"))
        #expect(self.name(.credential("t")) == name)
        #expect(try Data(contentsOf: URL(filePath: self.keyFile)).count == 32)
    }

    @Test("a link in the key's place is not followed")
    func followsNoLink() throws {
        let other = self.folder.path(of: "other")
        try Data(repeating: 7, count: 32).write(to: URL(filePath: other))
        try FileManager.default.createSymbolicLink(atPath: self.keyFile, withDestinationPath: other)
        #expect(self.name(.credential("t")) != self.name(.credential("t")))
        #expect(try Data(contentsOf: URL(filePath: other)) == Data(repeating: 7, count: 32))
    }

    @Test("uses one key for all processes that open a folder at the same time")
    func agrees() async {
        for round in 0..<20 {
            let path = "\(self.folder.path)/\(round)"
            try? FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true
            )
            let names = await withTaskGroup(of: String.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        CacheScopes(directory: path, fleetSecret: nil)[nil, .credential("t")].name
                    }
                }
                return await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(names.count == 1)
        }
    }

    @Test("lasts only as long as the library if no key can be stored")
    func withoutFolder() {
        let scopes = CacheScopes(directory: "/proc/none", fleetSecret: nil)
        #expect(scopes[nil, .credential("t")] == scopes[nil, .credential("t")])
        #expect(scopes[nil, .credential("t")] != scopes[nil, .credential("u")])
    }

    @Test("is equal on all machines that share a store's secret, and the folder then has no key")
    func agreesInFleet() throws {
        let name = self.name(.credential("t"), secret: [1, 2, 3])
        let elsewhere = CacheScopes(directory: "/proc/none", fleetSecret: [1, 2, 3])
        #expect(elsewhere[nil, .credential("t")].name == name)
        #expect(self.name(.credential("t"), secret: [1, 2]) != name)
        #expect(try FileManager.default.contentsOfDirectory(atPath: self.folder.path).isEmpty)
    }
}
