// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Something that the parser got over, as it is printed.
struct TroubleLine: Encodable {
    var kind: String
    var offset: Int64
    var size: Int64

    init(_ trouble: AudioStreamTrouble) {
        self.kind = trouble.kind.description
        self.offset = trouble.range.lowerBound
        self.size = trouble.range.upperBound - trouble.range.lowerBound
    }

    /// The same for a person.
    var text: String { "at byte \(self.offset), \(self.size) long: \(self.kind)" }
}
