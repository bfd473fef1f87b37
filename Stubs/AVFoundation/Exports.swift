// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// A stub of the part of Apple's AVFoundation that a resource loader delegate and its tests use, for a Linux build where
// Apple's SDK does not exist. Signatures are those of the iOS 18 and macOS 15 SDK as their documentation pages print
// them; behaviour is what `Documentation` of the adapter says of the real framework. It proves that the adapter agrees
// with this stub, not with Apple.
//
// Whatever Apple does not have is named `stub…` or `Stub…`.

// Nothing is handed on with it but what Apple's Foundation holds and Linux keeps apart: a file that uses Foundation or
// Dispatch says so.

@_exported public import FoundationNetworking
