// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Another process owns the directory and does not answer.
struct OwnerSilent: Error {}
