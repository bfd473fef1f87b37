// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What happened in a recording.
public enum RecordingEvent: Hashable, Sendable {
    /// A file was begun.
    case began(path: String, title: String?)
    /// A file is whole.
    case ended(path: String, title: String?, byteCount: Int64)
    /// Recording stopped, since it cannot go on; the sentence says why.
    case failed(String)
}
