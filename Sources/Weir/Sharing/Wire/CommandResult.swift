// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What came of a command.
enum CommandResult: Codable, Sendable {
    case resources([ResourceMessage])
    /// Whether there was such a resource.
    case found(Bool)
    /// `nil`: there was no such resource.
    case verified(sound: Int64, damaged: Int64)
    /// How many bytes were written.
    case exported(Int64)
    case done
}
