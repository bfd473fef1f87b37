// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

@_exported import CoreFoundation
@_exported import Darwin
@_exported import Dispatch
@_exported import Foundation
@_exported import FoundationEssentials
@_exported import FoundationInternationalization
@_exported import ObjectiveC

/// Nothing here is ever run.
func unseen() -> Never { fatalError() }
