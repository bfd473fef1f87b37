// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// What is to be done for a recording.
enum RecordingStep: Hashable, Sendable {
    /// A file begins; none is open.
    case begin(RecordingFile)
    /// The open file goes on with these bytes, and may end behind them.
    case write(ByteMemory)
    /// The open file is whole.
    case end
}
