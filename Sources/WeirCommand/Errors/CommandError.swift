// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Why a command could not be carried out, where no library says it: one sentence, and the status.
struct CommandError: Error, CustomStringConvertible {
    let status: ExitStatus
    let description: String

    init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }
}
