// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A format that a few fixed bytes near its start identify.
///
/// ``all`` is the only table of such bytes. It determines the type of a resource. The type
/// determines the file extension and, in WeirAudio, the parser. Errors about a format that Weir
/// does not read contain the name. Formats that only a chain of frames proves are not in the table.
package struct FormatSignature: Sendable {
    /// Fixed bytes at an offset.
    struct Mark: Sendable {
        let offset: Int
        let bytes: [UInt8]
        /// The bits of each byte that are fixed.
        let mask: UInt8

        /// The mark at another offset, or with free bits.
        static func at(_ offset: Int, _ mark: Mark, mask: UInt8 = 0xFF) -> Mark {
            Mark(offset: offset, bytes: mark.bytes, mask: mask)
        }

        /// Whether the bytes have the mark; `nil` if they end before it or in it, and agree so far.
        func isIn(_ start: UnsafeRawBufferPointer) -> Bool? {
            let count = min(max(0, start.count - self.offset), self.bytes.count)
            for position in 0..<count {
                guard start[self.offset + position] & self.mask == self.bytes[position] else {
                    return false
                }
            }
            return count < self.bytes.count ? nil : true
        }
    }

    /// The format for a sentence, with an article if it needs one: "a ZIP archive".
    package let name: String
    /// The type of the format, or of the container; `nil` if Weir has no media type for it.
    package let type: MediaType?
    let marks: [Mark]

    /// Makes a signature; a resource has it if its bytes have all marks.
    init(_ name: String, _ type: MediaType?, _ marks: Mark...) {
        self.name = name
        self.type = type
        self.marks = marks
    }

    /// The signature that the first bytes of a resource have; `nil` if they have none.
    package static func first(in start: UnsafeRawBufferPointer) -> FormatSignature? {
        guard let byte = start.first else { return nil }
        signatures: for index in Self.places[Int(byte)] {
            for mark in Self.all[index].marks where mark.isIn(start) != true { continue signatures }
            return Self.all[index]
        }
        return nil
    }

    /// For each first byte of a resource, the places in ``all`` of the signatures that it allows.
    private static let places: [[Int]] = {
        var places = [[Int]](repeating: [], count: 256)
        for (index, signature) in Self.all.enumerated() {
            let starts = signature.marks.first { $0.offset == 0 && $0.mask == 0xFF }?.bytes.first
            if let starts {
                places[Int(starts)].append(index)
            } else {
                for byte in places.indices { places[byte].append(index) }
            }
        }
        return places
    }()

    /// Whether the bytes have the first mark of a signature, but end before its other marks are
    /// complete.
    package static func isCut(in start: UnsafeRawBufferPointer) -> Bool {
        Self.all.contains { signature in
            let found = signature.marks.map { $0.isIn(start) }
            return found.first == true && found.contains(nil) && !found.contains(false)
        }
    }
}

extension FormatSignature.Mark: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// The characters of an ASCII text, at the start.
    init(stringLiteral text: String) {
        self.init(offset: 0, bytes: Array(text.utf8), mask: 0xFF)
    }

    /// Bytes at the start.
    init(arrayLiteral bytes: UInt8...) {
        self.init(offset: 0, bytes: bytes, mask: 0xFF)
    }
}
