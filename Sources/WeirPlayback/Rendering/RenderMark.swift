// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// What is to be told when a sample is heard.
enum RenderMark: Sendable {
    case item(QueuedItem)
    case title(PlayerTitle, sample: Int64)
    case format(AudioFormat, PCMFormat)
    case level(AudioLevel)
    case concealed(AudioError)
}
