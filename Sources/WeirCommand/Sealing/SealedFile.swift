// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirCipher

/// A file that is being sealed: read, encrypted and written a piece at a time, in constant memory.
struct SealedFile {
    /// The most that is read at once, in bytes.
    private static let pieceSize = 1 << 20

    /// The bytes in front of the encrypted ones: the vector, where one was made, or age's header.
    private(set) var head: [UInt8] = []
    /// How many bytes were read.
    private(set) var readCount: Int64 = 0
    /// How many bytes were written.
    private(set) var writtenCount: Int64 = 0

    /// Seals all of the input into a file, which is neither finished nor discarded here.
    ///
    /// `progress` is told after each piece how many bytes were read.
    ///
    /// - Throws: ``CommandError``, `CipherError`, `CancellationError`.
    init(
        _ input: SealInput,
        to file: DownloadFile,
        _ sealing: Sealing,
        progress: (Int64) -> Void
    ) throws {
        var sealer = try Sealer(sealing)
        self.head = sealer.begin()
        try self.write(self.head, to: file)
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        defer { room.deallocate() }
        while true {
            let count = try input.read(into: room)
            guard count > 0 else { break }
            let piece = UnsafeRawBufferPointer(rebasing: room[..<count])
            try self.write(sealer.seal(piece), to: file)
            self.readCount += Int64(count)
            progress(self.readCount)
        }
        try self.write(sealer.finish(), to: file)
    }

    private mutating func write(_ bytes: [UInt8], to file: DownloadFile) throws {
        try bytes.withUnsafeBytes { try file.write($0) }
        self.writtenCount += Int64(bytes.count)
    }
}

/// Where a sealed file goes.
extension OutputTarget {
    /// The target of the option, or else the input's name with an ending; standard input goes to standard output.
    init(option: String?, sealing input: String, as scheme: SealScheme) {
        self.init(option: option ?? (input == "-" ? "-" : "\(input).\(scheme.fileExtension)"))
    }

    /// Checks the target before anything is written.
    ///
    /// - Throws: ``CommandError`` with `usage` for the input itself, for a file that must not be replaced, for what is
    ///   no file, and for a terminal.
    func check(sealing input: SealInput, isForced: Bool) throws(CommandError) {
        guard self != .standardOutput else {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw CommandError.usage(
                    "Sealed bytes are nothing for a terminal; name a file with -o, or send them on with a pipe."
                )
            }
            return
        }
        if let present = FileIdentity(path: self.path), input.isSame(as: present) {
            throw CommandError.usage(
                "\(self.path) is the file that is to be sealed; name another with -o."
            )
        }
        let kind = try? FileKind(path: self.path)
        guard kind != .folder, case .file = try self.way(isForced: isForced) else {
            throw CommandError.usage("\(self.path) is no file; name one with -o.")
        }
    }
}
