// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

/// The heads of one resource's parts: bytes that are made once, with gaps for the changing numbers.
///
/// A player asks for one part after the other. A new head for each would cost half as much as the
/// rest of a short response.
final class PartHead {
    private let description: ResourceDescription
    private var bytes: [UInt8]
    private var date: Int64
    /// The age in the last head.
    private var age: Int64
    private let datePosition: Int
    /// The positions of the length, of the first and the last byte position, and of the age if
    /// there is one.
    private let gaps: [Int]

    /// Makes the bytes from the head of a part.
    ///
    /// `nil` unless the head has a date, belongs to a part, and leaves the connection open.
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
        self.datePosition = gaps.remove(at: 3)
        self.gaps = gaps
    }

    /// The age in the last head, if that head was for the same second and the same resource.
    ///
    /// This age is still true. Asking the source for it takes as long as finding the bytes.
    func lastAge(of description: ResourceDescription, at date: Int64) -> Int64? {
        date == self.date && self.description.isCopy(of: description) ? self.age : nil
    }

    /// Whether the heads belong to a resource, and have an age exactly if `tellingAge` is true.
    func fits(_ description: ResourceDescription, tellingAge: Bool) -> Bool {
        self.description.isCopy(of: description) && tellingAge == (self.gaps.count == 4)
    }

    /// The most bytes of a head.
    var encodedSizeLimit: Int { self.bytes.count + 4 * 20 }

    /// Writes the head of a part.
    ///
    /// - Parameters:
    ///   - part: the bytes of the resource in the body.
    ///   - date: the time of the response, in seconds since 1970.
    ///   - age: the age of the bytes, in seconds; counts only if the heads have one.
    ///   - buffer: the buffer to write to.
    func write(
        _ part: Range<Int64>,
        date: Int64,
        age: Int64,
        into buffer: inout ByteBuffer
    ) {
        if date != self.date { self.set(date: date) }
        self.age = age
        let numbers = (part.upperBound - part.lowerBound, part.lowerBound, part.upperBound - 1, age)
        let (bytes, gaps) = (self.bytes, self.gaps)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: self.encodedSizeLimit) { space in
            var writer = HeadWriter(into: space)
            bytes.withUnsafeBytes { bytes in
                var position = 0
                for index in gaps.indices {
                    writer.write(UnsafeRawBufferPointer(rebasing: bytes[position..<gaps[index]]))
                    switch index {
                    case 0: writer.write(decimal: numbers.0)
                    case 1: writer.write(decimal: numbers.1)
                    case 2: writer.write(decimal: numbers.2)
                    default: writer.write(decimal: numbers.3)
                    }
                    position = gaps[index]
                }
                writer.write(UnsafeRawBufferPointer(rebasing: bytes[position...]))
            }
            return writer.count
        }
    }

    /// Overwrites the date; every date has the same size.
    private func set(date: Int64) {
        self.date = date
        self.bytes.withUnsafeMutableBytes { bytes in
            var writer = HeadWriter(
                into: UnsafeMutableRawBufferPointer(rebasing: bytes[self.datePosition...])
            )
            writer.write(date: date)
        }
    }
}

@available(*, unavailable)
extension PartHead: Sendable {}
