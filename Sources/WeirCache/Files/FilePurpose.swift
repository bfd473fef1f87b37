// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a file is opened for.
public enum FilePurpose: Hashable, Sendable {
    /// To read what is there.
    case reading
    /// To read and write what is there.
    case updating
    /// To read and write a file that must not exist yet.
    case creating
    /// To read and write a file that is made if it does not exist.
    case updatingOrCreating
    /// To write a file anew, whatever it held.
    case replacing
    /// To write a file that must not exist yet and that others may read, as the user's settings allow.
    case exporting
}
