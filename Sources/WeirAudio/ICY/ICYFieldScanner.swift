// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds keys and texts in what a station writes between its audio.
enum ICYFieldScanner {
    /// Where a key and its text are; the text without quotes.
    struct Place: Hashable {
        var name: Range<Int>
        var value: Range<Int>
    }

    /// Finds all.
    ///
    /// - Parameter view: at most 4080 bytes, without the zeros behind.
    /// - Returns: the places in their order; what is no key with a text is passed over.
    static func fields(_ view: ByteView) -> [Place] {
        var places: [Place] = []
        var offset = 0
        while offset < view.count {
            guard let key = Self.key(view, at: offset) else {
                // Up to the next `;`: something without a form.
                guard let next = view.firstIndex(of: UInt8(ascii: ";"), from: offset) else { break }
                offset = next + 1
                continue
            }
            let (value, next) = Self.value(view, at: key.next)
            places.append(Place(name: key.name, value: value))
            offset = next
        }
        return places
    }

    /// A key, and where what stands behind its `=` starts.
    private static func key(_ view: ByteView, at offset: Int) -> (name: Range<Int>, next: Int)? {
        let start = Self.afterSpace(view, offset)
        var end = start
        while end < view.count, Self.isKeyPart(view[end]) { end += 1 }
        let equals = Self.afterSpace(view, end)
        guard end > start, equals < view.count, view[equals] == UInt8(ascii: "=") else {
            return nil
        }
        return (start..<end, equals + 1)
    }

    /// A text, and where what follows it starts.
    private static func value(_ view: ByteView, at offset: Int) -> (Range<Int>, next: Int) {
        guard offset < view.count, view[offset] == UInt8(ascii: "'") else {
            let end = view.firstIndex(of: UInt8(ascii: ";"), from: offset) ?? view.count
            return (offset..<end, end + 1)
        }
        let start = offset + 1
        var quote: Int?
        var index = start
        while let found = view.firstIndex(of: UInt8(ascii: "'"), from: index) {
            quote = found
            let semicolon = Self.afterSpace(view, found + 1)
            if semicolon < view.count, view[semicolon] == UInt8(ascii: ";"),
                let key = Self.key(view, at: semicolon + 1), key.next < view.count,
                view[key.next] == UInt8(ascii: "'")
            {
                return (start..<found, semicolon + 1)
            }
            index = found + 1
        }
        return (start..<(quote ?? view.count), view.count)
    }

    private static func afterSpace(_ view: ByteView, _ offset: Int) -> Int {
        var index = offset
        while index < view.count, view[index] <= UInt8(ascii: " ") { index += 1 }
        return index
    }

    private static func isKeyPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
