// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// A stub of the part of Apple's AVFAudio that WeirAudioToolbox and its tests use, for a Linux build where Apple's SDK
// does not exist. Signatures are those of the iOS 18 and macOS 15 SDK as far as they are known; behaviour is what is
// said of the real framework. Time passes when a test says so: see ``StubAudioDevice``. It proves that the library
// agrees with this stub, not with Apple.
//
// Whatever Apple does not have is named `stub…` or `Stub…`.

/// A number of frames.
public typealias AVAudioFrameCount = UInt32
/// A number of channels.
public typealias AVAudioChannelCount = UInt32
/// A position, in frames.
public typealias AVAudioFramePosition = Int64
