// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WeirCipher

/// Reads keys from files and variables, and warns once for each file that others can read.
final class KeyReader: Sendable {
    /// The largest size of a key or a file of identities, in bytes.
    static let largestSize = 64_000

    private let environment: ProgramEnvironment
    private let warn: @Sendable (String) -> Void
    private let warned = Mutex<Set<String>>([])

    init(_ environment: ProgramEnvironment, warn: @escaping @Sendable (String) -> Void) {
        self.environment = environment
        self.warn = warn
    }

    /// The text of a file or a variable.
    ///
    /// - Throws: ``CommandError`` with `notFound` if the file cannot be read; with `usage` if the
    ///   text is empty or too long.
    func text(_ location: KeyLocation) throws(CommandError) -> KeyText {
        let bytes: SecretBytes
        switch location {
        case .file(let path): bytes = try self.bytes(ofFile: path)
        case .environment(let name):
            guard let value = self.environment[name] else {
                throw CommandError.usage("\(location) is not set; set it, or name another.")
            }
            bytes = SecretBytes(value.utf8)
        }
        guard bytes.count > 0 else {
            throw CommandError.usage("\(location) is empty; write the key there.")
        }
        guard bytes.count <= Self.largestSize else {
            throw CommandError.usage(
                "\(location) holds more than 64 kB, and no key is so long; name another."
            )
        }
        return KeyText(bytes, from: location)
    }

    /// The bytes of a file: at most one more than ``largestSize``.
    private func bytes(ofFile path: String) throws(CommandError) -> SecretBytes {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.unreadable(path) }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw CommandError.usage("The key file \(path) is a folder; name a file.")
        }
        if status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 {
            self.warnOnce(path)
        }
        var count = 0
        let room = SecretBytes(count: Self.largestSize + 1) { room in
            while count < room.count {
                let read = Foundation.read(
                    descriptor,
                    UnsafeMutableRawBufferPointer(rebasing: room[count...]).baseAddress,
                    room.count - count
                )
                if read < 0, errno == EINTR { continue }
                if read < 0 { count = -1 }
                guard read > 0 else { return }
                count += read
            }
        }
        guard count >= 0 else { throw Self.unreadable(path) }
        return room.withUnsafeBytes { SecretBytes($0.prefix(count)) }
    }

    private func warnOnce(_ path: String) {
        guard self.warned.withLock({ $0.insert(path).inserted }) else { return }
        self.warn(
            "warning: other users can read the key file \(path); run chmod 600 \(path.shellQuoted)."
        )
    }

    /// The error for the system call that has just failed.
    private static func unreadable(_ path: String) -> CommandError {
        let reason = String(cString: strerror(errno))
        // If the user gave the key instead of a path, the message must not show it.
        let isKey = KeyText(SecretBytes(path.utf8), from: .file("")).looksLikeKey
        guard !isKey else {
            return CommandError.usage(
                "key-file must name a file, but its value looks like a key; write the key into a file, and name the"
                    + " file."
            )
        }
        return CommandError.notFound(
            "The key file \(path) cannot be read (\(reason)); check its name and its permissions."
        )
    }
}

/// The location of a key or a passphrase.
enum KeyLocation: Hashable, Sendable {
    case file(String)
    case environment(String)

    /// Whether a text can be the name of a variable.
    static func isVariable(_ text: String) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = text.utf8.first, !digits.contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            digits.contains(byte) || byte == UInt8(ascii: "_")
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
    }
}

extension KeyLocation: CustomStringConvertible {
    /// The location as the beginning of a sentence.
    ///
    /// The sentence does not name the variable: a user may have given the key instead of the name.
    var description: String {
        switch self {
        case .file(let path): "The key file \(path)"
        case .environment: "The variable that key-env names"
        }
    }
}
