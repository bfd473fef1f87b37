// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

extension FileHandle {
    public func write<T: DataProtocol>(contentsOf data: T) throws { unseen() }
}
