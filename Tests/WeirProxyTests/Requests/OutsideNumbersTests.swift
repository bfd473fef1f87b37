// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirSource
import WeirTestKit

@testable import WeirProxy

/// The entry points of WeirProxy that take lengths, offsets and counts from outside.
///
/// They are the ranges of players, the lengths that sources claim, slices of files, and settings.
@Suite("Numbers from outside, in the proxy")
struct OutsideNumbersTests {
    private static let texts = OutsideNumbers.texts + ["", "0", "00", "+1", " 1"]

    @Test("numbers are read up to the largest Int64")
    func scanner() {
        for text in Self.texts {
            var scanner = ASCIIScanner(text)
            _ = scanner.number()
        }
    }

    @Test("a player may ask for any range of a resource of any length")
    func plans() {
        let lengths = [nil] + OutsideNumbers.all
        for first in Self.texts {
            for last in Self.texts {
                var request = RequestHead(target: "/")
                request.rangeField = RangeField("bytes=\(first)-\(last)")
                for length in lengths {
                    let description = ResourceDescription(length: length)
                    let plan = ResponsePlan(for: request, of: description)
                    let head = ResponseHead(plan, of: description, to: request, closing: false)
                    var buffer = ByteBuffer()
                    head.write(into: &buffer)
                    #expect(buffer.readableBytes <= head.encodedSizeLimit)
                    if case .bytes(let part) = plan.body, let length {
                        #expect(part.upperBound <= length && part.lowerBound >= 0)
                    }
                }
            }
        }
    }

    @Test("the header of a request may hold any numbers")
    func heads() {
        for text in Self.texts {
            for field in ["Content-Length: \(text)", "Range: bytes=\(text)-", "Host: h:\(text)"] {
                let head = Array("GET / HTTP/1.1\r\n\(field)\r\n\r\n".utf8)
                _ = head.withUnsafeBytes { PlainRequestParser.parse($0) }
            }
            _ = HostField("h:\(text)")
            _ = HostField("[::1]:\(text)")
        }
    }

    /// A file that returns no bytes for any read.
    private final class Nothing: LeasedFile {
        let descriptor: CInt?
        init(_ descriptor: CInt?) { self.descriptor = descriptor }
        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int { 0 }
    }

    @Test("a slice may lie anywhere in its file, and the file may be shorter")
    func slices() {
        for descriptor in [nil, CInt(0), -1] {
            for offset in OutsideNumbers.natural {
                for count in [1, 11, 1 << 16, 1 << 31, 1 << 53] as [Int64]
                where count <= .max - offset {
                    let slice = ResidentSlice(
                        file: Nothing(descriptor),
                        fileOffset: offset,
                        range: offset..<(offset + count),
                        resource: ResourceDescription(length: .max)
                    )
                    for limit in [0, 1, 1 << 20] as [Int64] {
                        _ = ResidentPiece(slice, upTo: limit)
                    }
                }
            }
        }
    }

    @Test("any number may be given as a port, and only a port is accepted")
    func ports() {
        for number in OutsideNumbers.all {
            let configuration = ProxyConfiguration(port: Int(number))
            let isPort = (0...65535).contains(number)
            #expect(((try? configuration.checkedSecret()) != nil) == isPort)
        }
    }
}
