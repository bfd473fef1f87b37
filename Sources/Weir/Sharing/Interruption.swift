// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What was under way ended because the other process did, or the one whose origin was lent; another attempt
/// may find somebody else.
struct Interruption: Error {}
