// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// What goes into a parser, and what its packets are made of, is `ByteMemory`: one import is enough to use both.
@_exported public import WeirSource
