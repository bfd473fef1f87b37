// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// A stub of the part of Apple's AudioToolbox and CoreAudioTypes that WeirAudioToolbox and its tests
// use, for a Linux build without Apple's SDK. The signatures are taken from the iOS 18 and macOS 15
// SDK, as far as they are known. The stub behaves as the real framework is known to behave. A
// passing test proves that the library agrees with this stub, not that it agrees with Apple's
// framework. In Apple's SDK the procedures are `@convention(c)`. On Linux this convention does not
// support Swift structures, so the compiler does not check that the procedures capture nothing.
//
// Names that Apple does not have begin with `stub…` or `Stub…`.

/// Four letters as a number; not Apple's.
func stubCode(_ letters: StaticString) -> UInt32 {
    letters.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
}
