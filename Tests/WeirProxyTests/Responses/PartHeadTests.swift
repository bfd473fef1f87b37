// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirSource

@testable import WeirProxy

@Suite("Headers of partial responses")
struct PartHeadTests {
    private let description = ResourceDescription(
        length: 9_000_000_000_000,
        mediaType: MediaType(headerValue: "audio/mpeg"),
        validator: .entityTag("\"7-a\""),
        generation: GenerationID(rawValue: 7)
    )

    private func head(_ part: Range<Int64>, date: Int64?, age: Int64?) -> ResponseHead {
        var request = RequestHead(target: "/")
        request.rangeField = .one(.span(part))
        var head = ResponseHead(
            ResponsePlan(for: request, of: self.description),
            of: self.description,
            to: request,
            closing: false
        )
        head.date = date
        head.age = age
        return head
    }

    private func text(_ head: ResponseHead) -> String {
        var buffer = ByteBuffer()
        head.write(into: &buffer)
        return String(buffer: buffer)
    }

    @Test(
        "equal a newly encoded header, whatever the numbers are",
        arguments: [nil, 0, 86_400]
    )
    func numbers(age: Int64?) throws {
        let first = self.head(0..<1, date: 1_700_000_000, age: age)
        let template = try #require(PartHead(first, of: self.description))
        let parts: [Range<Int64>] = [
            0..<1, 0..<65_536, 9..<10, 99..<1_000_000, 8_999_999_999_998..<9_000_000_000_000,
            0..<9_000_000_000_000,
        ]
        for (step, part) in parts.enumerated() {
            for date in [1_700_000_000, Int64(step) * 100_000_007, 253_402_300_799] {
                let age = age.map { $0 + Int64(step) * 9 }
                var buffer = ByteBuffer()
                template.write(part, date: date, age: age ?? 0, into: &buffer)
                #expect(buffer.readableBytes <= template.encodedSizeLimit)
                #expect(String(buffer: buffer) == self.text(self.head(part, date: date, age: age)))
            }
        }
    }

    @Test("are for one resource, and for answers either with an age or without one")
    func fits() throws {
        let template = try #require(
            PartHead(self.head(0..<1, date: 0, age: nil), of: self.description)
        )
        #expect(template.fits(self.description, tellingAge: false))
        #expect(!template.fits(self.description, tellingAge: true))
        var other = self.description
        other.mediaType = MediaType(headerValue: "audio/flac")
        #expect(!template.fits(other, tellingAge: false))
    }

    @Test("repeat the last age within the same second, and only for the same resource")
    func lastAge() throws {
        let template = try #require(
            PartHead(self.head(0..<1, date: 100, age: 7), of: self.description)
        )
        #expect(template.lastAge(of: self.description, at: 100) == 7)
        #expect(template.lastAge(of: self.description, at: 101) == nil)
        #expect(template.lastAge(of: self.description, at: 99) == nil)
        var other = self.description
        other.mediaType = MediaType(headerValue: "audio/flac")
        #expect(template.lastAge(of: other, at: 100) == nil)
        // The age of a later head replaces the earlier age.
        var buffer = ByteBuffer()
        template.write(0..<1, date: 102, age: 9, into: &buffer)
        #expect(template.lastAge(of: self.description, at: 100) == nil)
        #expect(template.lastAge(of: self.description, at: 102) == 9)
        let ageless = try #require(
            PartHead(self.head(0..<1, date: 100, age: nil), of: self.description)
        )
        #expect(ageless.lastAge(of: self.description, at: 100) == 0)
    }

    @Test("come only from the header of a part whose connection stays open")
    func others() {
        #expect(PartHead(self.head(0..<1, date: nil, age: 1), of: self.description) == nil)
        var closing = self.head(0..<1, date: 1, age: 1)
        closing.closes = true
        #expect(PartHead(closing, of: self.description) == nil)
        let sentence = ResponseHead(.notFound, isHTTP10: false, closing: false)
        #expect(PartHead(sentence, of: self.description) == nil)
    }
}
