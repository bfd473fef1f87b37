// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

@_exported import Darwin

/// A macro in C, the result of a function.
public var errno: Int32 {
    get { unseen() }
    set { unseen() }
}

public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFSOCK: mode_t { 0o140000 }

/// A constant of C's enumeration of clocks.
public var CLOCK_REALTIME: clockid_t { unseen() }

/// Nothing here is ever run.
func unseen() -> Never { fatalError() }
