// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Where the socket of a cache directory lies.
///
/// A system takes short paths for sockets only: 104 bytes on Apple platforms, 108 on Linux, the zero behind them
/// included. Linux gives every open directory a short name, so that the socket lies in the cache directory there, however
/// long its path is. macOS does not: where the path is too long, the socket lies in the user's own temporary folder,
/// under a name that all processes make of the directory's path.
struct SocketPlace: Hashable, Sendable {
    /// What decides which paths there are.
    enum Platform: Hashable, Sendable, CaseIterable {
        /// Every open directory has a short name.
        case linux
        /// The user has a temporary folder that no other user may enter.
        case mac

        /// The one that this runs on.
        static var current: Platform {
            #if os(macOS)
            .mac
            #else
            .linux
            #endif
        }
    }

    /// The socket's name in the cache directory.
    static let fileName = "owner.socket"
    /// The longest path of a socket, the zero behind it and some reserve left out.
    static let longestPath = 100
    /// How much longer a temporary name is: a dot and a number of 32 bits.
    private static let temporarySuffix = 11

    /// The folder that the socket lies in.
    let folder: String
    /// The socket's name there.
    let fileName: String

    /// Where the socket is.
    var path: String { "\(self.folder)/\(self.fileName)" }

    /// Whether the system takes the path, and the path of a temporary name, as they are.
    var isShort: Bool { self.path.utf8.count + Self.temporarySuffix <= Self.longestPath }

    private init(folder: String, fileName: String) {
        self.folder = folder
        self.fileName = fileName
    }

    /// The place for a cache directory; `nil` where the system takes no path for its socket.
    ///
    /// - Parameters:
    ///   - directory: the cache directory, as an absolute path.
    ///   - platform: what decides.
    ///   - temporaryFolder: the user's own; asked for on macOS only, where the path is too long.
    init?(
        of directory: String,
        on platform: Platform = .current,
        temporaryFolder: () -> String? = SocketPlace.userFolder
    ) {
        let own = SocketPlace(folder: directory, fileName: Self.fileName)
        switch platform {
        case .linux: self = own
        case .mac:
            if own.isShort {
                self = own
                return
            }
            guard let folder = temporaryFolder() else { return nil }
            let name = "weir-\(Self.hash(of: Self.realPath(of: directory))).socket"
            self.init(folder: folder, fileName: name)
            guard self.isShort else { return nil }
        }
    }

    /// 16 hexadecimal digits, the same in every process (FNV-1a of 64 bits): directories of one user are told apart by
    /// them, and nothing is kept secret.
    private static func hash(of path: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The path without symbolic links, by whatever way a process came to the directory.
    private static func realPath(of directory: String) -> String {
        guard let resolved = realpath(directory, nil) else { return directory }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The temporary folder that no other user may enter; `nil` where the system has none.
    static func userFolder() -> String? {
        #if os(macOS)
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = confstr(_CS_DARWIN_USER_TEMP_DIR, &bytes, bytes.count)
        guard count > 1, count <= bytes.count else { return nil }
        let text = bytes[..<(count - 1)].map { UInt8(bitPattern: $0) }
        var path = String(decoding: text, as: UTF8.self)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
        #else
        return nil
        #endif
    }
}
