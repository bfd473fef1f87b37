// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// One import is enough for the common case: what a `Media` answers with is WeirSource's vocabulary, and
// what a library is told is the loader's, the origin's and the cache's; a radio station is WeirLive's, its
// sound WeirAudio's.
@_exported public import WeirAudio
@_exported public import WeirCache
@_exported public import WeirCipher
@_exported public import WeirClouds
@_exported public import WeirHTTP
@_exported public import WeirLive
@_exported public import WeirLoader
@_exported public import WeirSource
