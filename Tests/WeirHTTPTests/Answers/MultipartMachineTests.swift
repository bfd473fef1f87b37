// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("A multipart body")
struct MultipartMachineTests {
    private static let content = PatternBytes.bytes(in: 0..<40)

    private static func body(
        preamble: String = "",
        end: String = "\r\n--X--\r\n",
        lineEnd: String = "\r\n"
    ) -> [UInt8] {
        let head =
            "\(preamble)--X\(lineEnd)Content-Type: audio/mpeg\(lineEnd)"
            + "Content-Range: bytes 0-39/100\(lineEnd)\(lineEnd)"
        return Array(head.utf8) + self.content + Array(end.utf8)
    }

    /// Feeds these pieces of a body to a machine, and returns its results.
    private func run(_ pieces: [ArraySlice<UInt8>], length: Int64 = 40) -> (
        HTTPHeaderList?, [UInt8], MultipartMachine, String?
    ) {
        var machine = MultipartMachine(boundary: "X")
        var headers: HTTPHeaderList?
        var bytes: [UInt8] = []
        for piece in pieces where !piece.isEmpty {
            var event = machine.received(ByteMemory(Array(piece)))
            if case .head(let list) = event {
                headers = list
                event = machine.begin(partLength: length)
            }
            switch event {
            case .bytes(let memory): bytes += memory.withUnsafeBytes { Array($0) }
            case .broken(let what): return (headers, bytes, machine, what)
            case .nothing, .head: break
            }
        }
        return (headers, bytes, machine, nil)
    }

    @Test(
        "gives its part, cut at any two places",
        arguments: [
            MultipartMachineTests.body(), MultipartMachineTests.body(preamble: "see below\r\n\r\n"),
            MultipartMachineTests.body(lineEnd: "\n"), MultipartMachineTests.body(preamble: "\r\n"),
        ]
    )
    func yieldsPart(_ body: [UInt8]) {
        for first in 0...body.count {
            for second in [first, min(first + 7, body.count), body.count] {
                let (headers, bytes, machine, problem) = self.run([
                    body[..<first], body[first..<second], body[second...],
                ])
                #expect(headers?["content-range"] == "bytes 0-39/100")
                #expect(bytes == Self.content)
                #expect(machine.isComplete && !machine.hasMoreParts && problem == nil)
            }
        }
    }

    @Test("cut off anywhere gives the received bytes, and is complete only with all of them")
    func survivesTruncation() {
        let body = Self.body()
        let headLength = body.count - 40 - 9
        for length in 0..<body.count {
            let (_, bytes, machine, problem) = self.run([body[..<length]])
            #expect(bytes == Array(Self.content.prefix(max(0, length - headLength))))
            #expect(machine.isComplete == (length >= headLength + 40))
            #expect(problem == nil && !machine.hasMoreParts)
        }
    }

    @Test("with a second part is recognised by the bytes behind the first")
    func seesMoreParts() {
        let (_, bytes, machine, _) = self.run([
            Self.body(end: "\r\n--X\r\nContent-Type: a/b\r\n")[...]
        ])
        #expect(bytes == Self.content)
        #expect(machine.hasMoreParts)
    }

    @Test("without its own boundary is refused after 16 KiB")
    func isBounded() {
        let noise = [UInt8](repeating: 0x61, count: 9_000)
        let (headers, bytes, _, problem) = self.run([noise[...], noise[...], noise[...]])
        #expect(headers == nil && bytes.isEmpty)
        #expect(problem == "a multipart body whose first part has no readable head")
    }

    @Test("does not look for its boundary within the bytes")
    func countsBytes() {
        var machine = MultipartMachine(boundary: "X")
        guard case .head = machine.received(ByteMemory(Array("--X\r\n\r\n".utf8))) else {
            Issue.record("no head")
            return
        }
        _ = machine.begin(partLength: 7)
        guard
            case .bytes(let memory) = machine.received(ByteMemory(Array("\r\n--X--\r\n--X--".utf8)))
        else {
            Issue.record("no bytes")
            return
        }
        #expect(memory.withUnsafeBytes { Array($0) } == Array("\r\n--X--".utf8))
        #expect(machine.isComplete && !machine.hasMoreParts)
    }
}
