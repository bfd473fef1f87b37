// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The version of the program.
enum WeirVersion {
    static let text = "0.1.0"
}
