// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import AVFAudio

/// Replaces the function of the same name in `Sources/CWeirExceptions`.
///
/// - Returns: `false` if AVFAudio would have raised an exception.
public func weir_play_node(
    _ node: UnsafeMutableRawPointer,
    _ time: UnsafeMutableRawPointer?
) -> Bool {
    // The caller keeps both objects alive during the call.
    let node = Unmanaged<AVAudioPlayerNode>.fromOpaque(node).takeUnretainedValue()
    let time = time.map { Unmanaged<AVAudioTime>.fromOpaque($0).takeUnretainedValue() }
    return node.stubPlays(at: time)
}
