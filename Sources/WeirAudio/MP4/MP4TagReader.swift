// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads the tags of a movie: `udta` and `meta` with an `ilst`, texts of QuickTime, chapters of
/// Nero.
///
///     ilst
///       '©nam', 'trkn', …          a field
///         data                     kind of value (32), language (32), value
///       '----'                     a field with a name
///         mean, name               version and flags (32), text
///         data …
///
/// Small stored parts may be large in memory: the reader keeps at most ``most`` values, and as many
/// pictures, names and chapters.
struct MP4TagReader {
    /// The most values, the most pictures, the most names of fields and the most chapters that are
    /// kept.
    static let most = 4_096

    /// The tags that were read.
    var tags: AudioTags
    /// Whether a part could not be read.
    private(set) var hasFault = false
    private var valueCount = 0

    init(tags: AudioTags) { self.tags = tags }

    /// Whether there are no tags.
    var isEmpty: Bool {
        self.tags.fields.isEmpty && self.tags.pictures.isEmpty && self.tags.chapters.isEmpty
    }

    /// Reads the readable parts of a box.
    ///
    /// - Parameter box: a `udta` or a `meta`.
    mutating func read(_ box: MP4Box) {
        do throws(AudioStreamError) {
            if box.type == "meta" { try self.readMeta(box) } else { try self.readUserData(box) }
        } catch {
            self.hasFault = true
        }
    }

    private mutating func readUserData(_ box: MP4Box) throws(AudioStreamError) {
        var children = box.children
        while let child = try children.next() {
            switch child.type {
            case "meta": try self.readMeta(child)
            case "chpl": self.readChapters(child.content)
            default:
                if child.type.rawValue >> 24 == 0xA9 { self.readText(child) }
            }
        }
    }

    /// Reads a text of QuickTime: length (16), language (16), text; other languages may follow.
    private mutating func readText(_ box: MP4Box) {
        let view = box.content
        guard view.count >= 4 else { return }
        let length = Int(view.big(0, UInt16.self))
        guard length <= view.count - 4 else {
            self.hasFault = true
            return
        }
        let text = String(decoding: view[4..<4 + length].array, as: UTF8.self)
        self.add(AudioTagField(box.type.text, [text]))
    }

    private mutating func readMeta(_ box: MP4Box) throws(AudioStreamError) {
        // The `meta` is a full box in ISO files, and an ordinary box in QuickTime files.
        let isFull = !box.content.matches("hdlr", at: 4)
        var keys: [String] = []
        var children = box.children(behind: isFull ? 4 : 0)
        while let child = try children.next() {
            switch child.type {
            case "keys": keys = try self.keys(child)
            case "ilst":
                var items = child.children
                while let item = try items.next() { try self.readItem(item, keys: keys) }
            default: break
            }
        }
    }

    /// The names of the fields that are stored by number.
    ///
    /// The box has version and flags, a count, then boxes with the names.
    private func keys(_ box: MP4Box) throws(AudioStreamError) -> [String] {
        var keys: [String] = []
        var children = box.children(behind: 8)
        while keys.count < Self.most, let key = try children.next() {
            keys.append(String(decoding: key.content.array, as: UTF8.self))
        }
        return keys
    }

    private mutating func readItem(_ item: MP4Box, keys: [String]) throws(AudioStreamError) {
        var name = item.type.text
        let number = Int(item.type.rawValue)
        if number > 0, number <= keys.count { name = keys[number - 1] }
        var mean = ""
        var detail = ""
        var values: [String] = []
        var children = item.children
        while let child = try children.next() {
            switch child.type {
            case "mean": mean = Self.text(behindFlags: child.content)
            case "name": detail = Self.text(behindFlags: child.content)
            case "data":
                guard let value = MP4TagValue(child) else {
                    self.hasFault = true
                    continue
                }
                if item.type == "covr" {
                    if self.tags.pictures.count < Self.most {
                        self.tags.pictures.append(value.picture)
                    }
                } else if values.count < Self.most, let text = value.text(of: item.type) {
                    values.append(text)
                }
            default: break
            }
        }
        if item.type == "----" { name += ":\(mean):\(detail)" }
        if !values.isEmpty { self.add(AudioTagField(name, values)) }
    }

    private mutating func add(_ field: AudioTagField) {
        self.valueCount += field.values.count
        guard self.valueCount <= Self.most else {
            self.hasFault = true
            return
        }
        self.tags.fields.append(field)
    }

    private static func text(behindFlags view: ByteView) -> String {
        guard view.count > 4 else { return "" }
        return String(decoding: view[4..<view.count].array, as: UTF8.self)
    }

    /// Reads chapters in Nero's format.
    ///
    ///     version (8), flags (24), in version 1: unknown (32), count (8),
    ///     then start in units of 100 ns (64), length of the title (8), title
    private mutating func readChapters(_ view: ByteView) {
        guard view.count >= 5 else { return }
        var position = view[0] == 1 ? 8 : 4
        guard position < view.count else { return }
        let count = Int(view[position])
        position += 1
        for _ in 0..<count {
            guard view.count - position >= 9 else {
                self.hasFault = true
                return
            }
            let start = view.big(position, UInt64.self) / 10_000
            let length = Int(view[position + 8])
            position += 9
            guard view.count - position >= length, self.tags.chapters.count < Self.most,
                start < UInt64(Int64.max / 1_000)
            else {
                self.hasFault = true
                return
            }
            let title = String(decoding: view[position..<position + length].array, as: UTF8.self)
            position += length
            self.tags.chapters.append(
                AudioChapter(startMilliseconds: Int64(start), endMilliseconds: nil, title: title)
            )
        }
    }
}
