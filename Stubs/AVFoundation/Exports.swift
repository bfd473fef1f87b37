// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// A stub of the part of Apple's AVFoundation that a resource loader delegate and its tests use, for
// a Linux build without Apple's SDK. The signatures are taken from the documentation pages of the
// iOS 18 and macOS 15 SDK. The stub behaves as the adapter's `Documentation` describes the real
// framework. A passing test proves that the adapter agrees with this stub, not that it agrees with
// Apple's framework.
//
// Names that Apple does not have begin with `stub…` or `Stub…`.

// Re-exports only the part of Apple's Foundation that is a separate module on Linux. A file that
// uses Foundation or Dispatch imports it.

@_exported public import FoundationNetworking
