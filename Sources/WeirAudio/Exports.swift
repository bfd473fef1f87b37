// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Parsers take `ByteMemory`, and packets consist of it: one import is enough for both.
@_exported public import WeirSource
