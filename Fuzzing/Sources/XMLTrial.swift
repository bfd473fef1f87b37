// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads the input as an XML document.
///
/// Elements must nest within the depth limit; the input's size bounds the number of events and the text.
enum XMLTrial {
    private static let deepest = 16

    static func run(_ bytes: [UInt8]) {
        // A character of a foreign encoding is three bytes of UTF-8 at most.
        let most = bytes.count * 3
        var reader = XMLReader(bytes, deepest: Self.deepest)
        var (depth, events, size) = (0, 0, 0)
        do throws(XMLReader.Failure) {
            while let event = try reader.next() {
                events += 1
                switch event {
                case .started(let name):
                    depth += 1
                    size += name.local.utf8.count
                case .text(let text):
                    precondition(depth > 0, "text outside of the elements")
                    size += text.count
                case .ended:
                    depth -= 1
                }
                precondition((0...Self.deepest).contains(depth), "elements do not nest")
                precondition(events <= most, "more events than bytes")
            }
            precondition(depth == 0, "an end without the end of an element")
            precondition(size <= most * 3, "more text than bytes")
        } catch {
            precondition((0...most).contains(error.offset), "a failure outside of the document")
        }
    }
}
