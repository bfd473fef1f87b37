// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// An event, and the medium that it happened to.
public struct LibraryEvent: Sendable {
    /// The medium, as it is called in sentences; `nil` for what concerns all of them.
    public var media: String?
    /// What happened.
    public var event: MediaEvent
}
