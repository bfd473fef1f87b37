// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

/// The heads of the parts of one resource: bytes that are made once, with gaps for the numbers that differ from part to
/// part.
///
/// A player asks for one part after the other, and a head put together anew costs as much as half of the rest of a short
/// answer.
final class PartHead {
    private let description: ResourceDescription
    private var bytes: [UInt8]
    private var date: Int64
    /// The age that was told last.
    private var age: Int64
    private let datePlace: Int
    /// Where the length, the first and the last position belong, and the age if there is one.
    private let gaps: [Int]

    /// Makes the bytes out of a head; `nil` unless it has a date and is that of a part, for a client whose connection stays
    /// open.
    ///
    /// - Parameters:
    ///   - head: the head of any part of the resource.
    ///   - description: the resource.
    init?(_ head: ResponseHead, of description: ResourceDescription) {
        guard case .part = head.contentRange, head.contentLength != nil, let date = head.date,
            !head.closes
        else { return nil }
        var gaps: [Int] = []
        self.bytes = [UInt8](unsafeUninitializedCapacity: head.encodedSizeLimit) { space, count in
            var writer = HeadWriter(into: UnsafeMutableRawBufferPointer(space), isTemplate: true)
            head.write(into: &writer)
            gaps = writer.gaps ?? []
            count = writer.count
        }
        self.description = description
        self.date = date
        self.age = head.age ?? 0
        self.datePlace = gaps.remove(at: 3)
        self.gaps = gaps
    }

    /// The age of the bytes that was told last, if that was in the same second and of the same resource: it is still true,
    /// and to ask for it takes as long as to find the bytes.
    func lastAge(of description: ResourceDescription, at date: Int64) -> Int64? {
        date == self.date && self.description.isCopy(of: description) ? self.age : nil
    }

    /// Whether the heads are those of a resource, and tell the age of the bytes or do not.
    func fits(_ description: ResourceDescription, tellingAge: Bool) -> Bool {
        self.description.isCopy(of: description) && tellingAge == (self.gaps.count == 4)
    }

    /// The most bytes that a head takes.
    var encodedSizeLimit: Int { self.bytes.count + 4 * 20 }

    /// Writes the head of a part.
    ///
    /// - Parameters:
    ///   - part: which bytes of the resource follow.
    ///   - date: when the answer is made, in seconds since 1970.
    ///   - age: how old the bytes are, in seconds; counts only if the heads tell it.
    ///   - buffer: is written to.
    func write(
        _ part: Range<Int64>,
        date: Int64,
        age: Int64,
        into buffer: inout ByteBuffer
    ) {
        if date != self.date { self.set(date: date) }
        self.age = age
        let numbers = (part.upperBound - part.lowerBound, part.lowerBound, part.upperBound - 1, age)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: self.encodedSizeLimit) { space in
            var writer = HeadWriter(into: space)
            self.bytes.withUnsafeBytes { bytes in
                var place = 0
                for (index, gap) in self.gaps.enumerated() {
                    writer.write(UnsafeRawBufferPointer(rebasing: bytes[place..<gap]))
                    switch index {
                    case 0: writer.write(decimal: numbers.0)
                    case 1: writer.write(decimal: numbers.1)
                    case 2: writer.write(decimal: numbers.2)
                    default: writer.write(decimal: numbers.3)
                    }
                    place = gap
                }
                writer.write(UnsafeRawBufferPointer(rebasing: bytes[place...]))
            }
            return writer.count
        }
    }

    /// A date has the same size as any other.
    private func set(date: Int64) {
        self.date = date
        self.bytes.withUnsafeMutableBytes { bytes in
            var writer = HeadWriter(
                into: UnsafeMutableRawBufferPointer(rebasing: bytes[self.datePlace...])
            )
            writer.write(date: date)
        }
    }
}

@available(*, unavailable)
extension PartHead: Sendable {}
