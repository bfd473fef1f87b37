// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// A stub of the part of Apple's AVFAudio that WeirAudioToolbox and its tests use, for a Linux build
// without Apple's SDK. The signatures are taken from the iOS 18 and macOS 15 SDK, as far as they
// are known. The stub behaves as the real framework is known to behave. A test advances the time:
// see ``StubAudioDevice``. A passing test proves that the library agrees with this stub, not that
// it agrees with Apple's framework.
//
// Names that Apple does not have begin with `stub…` or `Stub…`.

/// A number of frames.
public typealias AVAudioFrameCount = UInt32
/// A number of channels.
public typealias AVAudioChannelCount = UInt32
/// A position, in frames.
public typealias AVAudioFramePosition = Int64
