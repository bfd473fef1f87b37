// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirCipher

extension DownloadFile {
    /// The largest number of bytes in one read.
    private static let pieceSize = 1 << 20

    /// Seals a whole input into the file, piece by piece in constant memory.
    ///
    /// The caller finishes or discards the file.
    ///
    /// `progress` receives the number of bytes read so far, after each piece.
    ///
    /// - Returns: the bytes before the encrypted ones (a generated vector, or age's header), and
    ///   the numbers of bytes read and written.
    /// - Throws: ``CommandError``, `CipherError`, `CancellationError`.
    func seal(
        _ input: SealInput,
        _ sealing: Sealing,
        progress: (Int64) -> Void
    ) throws -> (head: [UInt8], readCount: Int64, writtenCount: Int64) {
        var (readCount, writtenCount): (Int64, Int64) = (0, 0)
        func write(_ bytes: [UInt8]) throws {
            try bytes.withUnsafeBytes { try self.write($0) }
            writtenCount += Int64(bytes.count)
        }
        var sealer = try Sealer(sealing)
        let head = sealer.begin()
        try write(head)
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.pieceSize,
            alignment: 16
        )
        defer { memory.deallocate() }
        while true {
            let count = try input.read(into: memory)
            guard count > 0 else { break }
            try write(sealer.seal(UnsafeRawBufferPointer(rebasing: memory[..<count])))
            readCount += Int64(count)
            progress(readCount)
        }
        try write(sealer.finish())
        return (head, readCount, writtenCount)
    }
}

/// The target of a sealed file.
extension OutputTarget {
    /// The target of the option, or else the input's name with an extension; `-` becomes standard
    /// output.
    init(option: String?, sealing input: String, as scheme: SealScheme) {
        self.init(option: option ?? (input == "-" ? "-" : "\(input).\(scheme.fileExtension)"))
    }

    /// Checks the target before anything is written.
    ///
    /// - Throws: ``CommandError`` with `usage` if the target is the input itself, a file that must
    ///   not be replaced, not a file, or a terminal.
    func check(sealing input: SealInput, isForced: Bool) throws(CommandError) {
        guard self != .standardOutput else {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw CommandError.usage(
                    "Sealed bytes cannot go to a terminal; name a file with -o, or use a pipe."
                )
            }
            return
        }
        if let present = FileIdentity(path: self.path), input.isSame(as: present) {
            throw CommandError.usage(
                "\(self.path) is the input file; name another file with -o."
            )
        }
        guard FileKind(path: self.path) != .folder, case .file = try self.way(isForced: isForced)
        else {
            throw CommandError.usage("\(self.path) is not a regular file; name one with -o.")
        }
    }
}
