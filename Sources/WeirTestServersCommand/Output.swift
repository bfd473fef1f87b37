// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Standard output: JSON, a document a line.
enum Output {
    static func print(_ value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and whole numbers always have a document; a reader that has gone is no concern.
        guard let line = try? encoder.encode(value) else { return }
        try? FileHandle.standardOutput.write(contentsOf: line + Data("\n".utf8))
    }
}
