// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHLS

/// Reads an HLS playlist, and gives each of its URIs a new address.
enum HLSTrial {
    static func run(_ bytes: [UInt8]) {
        guard let playlist = try? PlaylistScanner.scan(bytes) else { return }
        var edit = PlaylistEdit(of: playlist)
        for (number, reference) in playlist.references.enumerated() {
            precondition(reference.span.lowerBound >= 0 && reference.span.upperBound <= bytes.count)
            if let range = reference.bytes { precondition(range.lowerBound >= 0) }
            edit.replace(reference, with: "\(number).ts")
        }
        guard let edited = try? PlaylistScanner.scan(edit.text) else { return }
        precondition(edited.references.count == playlist.references.count)
        for (number, reference) in edited.references.enumerated() {
            precondition(reference.uri == "\(number).ts")
            precondition(reference.role == playlist.references[number].role)
            precondition(reference.sequence == playlist.references[number].sequence)
        }
        precondition(edited.life == playlist.life)
        precondition(edited.mediaSequence == playlist.mediaSequence)
        precondition(PlaylistEdit(of: edited).text == edit.text)
    }
}
