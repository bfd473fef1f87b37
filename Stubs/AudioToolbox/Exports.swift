// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// A stub of the part of Apple's AudioToolbox and CoreAudioTypes that WeirAudioToolbox and its tests use, for a Linux
// build where Apple's SDK does not exist. Signatures are those of the iOS 18 and macOS 15 SDK as far as they are known;
// behaviour is what is said of the real framework. It proves that the library agrees with this stub, not with Apple.
// Procedures are `@convention(c)` there; Linux has no such convention for structures of Swift, so that nobody checks
// here that they capture nothing.
//
// Whatever Apple does not have is named `stub…` or `Stub…`.

/// Four letters as a number; not Apple's.
func stubCode(_ letters: StaticString) -> UInt32 {
    letters.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
}
