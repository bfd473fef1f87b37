// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// One import for a program that plays: the player, the types in its snapshots, and the platform's decoders and
// device.
@_exported public import WeirAudio
@_exported public import WeirLive
@_exported public import WeirPlayback

#if os(Linux)
@_exported public import WeirALSA
@_exported public import WeirLibav
#elseif canImport(AudioToolbox) && canImport(AVFAudio)
@_exported public import WeirAudioToolbox
#endif
