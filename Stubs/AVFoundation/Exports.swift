// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// A stub of the part of Apple's AVFoundation that a resource loader delegate and its tests use, for a Linux build
// without Apple's SDK. Signatures are those of the iOS 18 and macOS 15 SDK as their documentation pages print them.
// The behaviour is that of the real framework as the adapter's `Documentation` describes it. It proves that the
// adapter agrees with this stub, not with Apple.
//
// Names that Apple does not have begin with `stub…` or `Stub…`.

// Re-exports only the part of Apple's Foundation that is a separate module on Linux. A file that uses Foundation or
// Dispatch imports it.

@_exported public import FoundationNetworking
