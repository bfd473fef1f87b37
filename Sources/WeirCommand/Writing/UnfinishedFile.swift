// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirLive

/// A file on its way to a name: it lies beside it, under a name that nobody can guess, until it is whole.
struct UnfinishedFile {
    /// Where it lies now.
    let path: String
    private let target: OutputTarget
    private let isReplacing: Bool
    private let naming: FileNaming

    /// Chooses where it lies; nothing is made yet.
    ///
    /// - Parameters:
    ///   - target: where it goes, which is a path.
    ///   - isReplacing: whether what lies there is replaced.
    ///   - naming: gives names.
    init(for target: OutputTarget, isReplacing: Bool, naming: FileNaming = FileNaming()) {
        let folder = target.path.utf8.lastIndex(of: UInt8(ascii: "/")).map {
            target.path[...$0]
        }
        let number = String(UInt64.random(in: .min ... .max), radix: 16)
        self.path = "\(folder ?? "").weir-\(number).part"
        self.target = target
        self.isReplacing = isReplacing
        self.naming = naming
    }

    /// Makes it, to write to.
    ///
    /// - Returns: the descriptor, which whoever asked closes.
    /// - Throws: ``CommandError`` if the folder cannot be written to.
    func make() throws(CommandError) -> CInt {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(self.path, flags, 0o666)
        guard descriptor >= 0 else { throw self.target.failure(errno) }
        return descriptor
    }

    /// Gives it its name, now that it is whole; what lies there meanwhile is replaced only if that was asked for.
    ///
    /// - Throws: ``CommandError``; nothing is left then.
    func finish() throws(CommandError) {
        switch self.naming.give(self.target.path, to: self.path, isReplacing: self.isReplacing) {
        case .given: return
        case .taken:
            self.discard()
            throw self.target.taken
        case .failed(let number):
            self.discard()
            throw self.target.failure(number)
        }
    }

    /// Leaves nothing behind.
    func discard() { unlink(self.path) }
}
