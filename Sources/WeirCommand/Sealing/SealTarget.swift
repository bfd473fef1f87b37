// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where a sealed file goes.
struct SealTarget: Hashable, Sendable {
    /// The path; `-` for standard output.
    let path: String
    /// Whether what is there already is replaced.
    let isForced: Bool

    /// Decides where it goes.
    ///
    /// - Parameters:
    ///   - path: what was asked for, if anything was.
    ///   - input: the path of what is sealed; standard input goes to standard output.
    ///   - scheme: what is written.
    ///   - isForced: whether what is there already is replaced.
    init(_ path: String?, input: String, scheme: SealScheme, isForced: Bool) {
        self.path = path ?? (input == "-" ? "-" : "\(input).\(scheme.fileExtension)")
        self.isForced = isForced
    }

    /// Whether it is standard output.
    var isStandardOutput: Bool { self.path == "-" }

    /// Looks what is there, before anything is written.
    ///
    /// - Throws: ``CommandError`` with `usage` for the input itself, for a file that must not be replaced, for what is
    ///   no file, and for a terminal.
    func check(_ input: SealInput) throws(CommandError) {
        guard !self.isStandardOutput else {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw CommandError(
                    .usage,
                    "Sealed bytes are nothing for a terminal; name a file with -o, or send them on with a pipe."
                )
            }
            return
        }
        if let present = FileIdentity(path: self.path), input.isSame(as: present) {
            throw CommandError(
                .usage,
                "\(self.path) is the file that is to be sealed; name another with -o."
            )
        }
        let occupant = try? PathOccupant(path: self.path)
        guard occupant != .folder,
            case .file = try OutputTarget.chosen(self.path).way(isForced: self.isForced)
        else {
            throw CommandError(.usage, "\(self.path) is no file; name one with -o.")
        }
    }
}
