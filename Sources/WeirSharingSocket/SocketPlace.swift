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

/// The location of a cache directory's socket.
///
/// Systems accept only short paths for sockets: 104 bytes on Apple platforms and 108 on Linux,
/// including the final zero. Linux gives every open directory a short name, so the socket is in the
/// cache directory, however long its path is. macOS gives no short names. If the path is too long
/// there, the socket is in the user's own temporary folder. All processes derive its name there
/// from the directory's path.
struct SocketPlace: Hashable, Sendable {
    /// The systems, which differ in their paths for sockets.
    enum Platform: Hashable, Sendable, CaseIterable {
        /// Every open directory has a short name.
        case linux
        /// The user has a temporary folder that no other user may enter.
        case mac

        /// The system of this process.
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
    /// The maximum length of a socket's path, without the final zero and some reserve.
    static let longestPath = 100
    /// How much longer a temporary name is: a dot and a 32-bit number.
    private static let temporarySuffix = 11

    /// The folder of the socket.
    let folder: String
    /// The name of the socket in its folder.
    let fileName: String

    /// The path of the socket.
    var path: String { "\(self.folder)/\(self.fileName)" }

    /// Whether the system accepts the path, and the path of a temporary name.
    var isShort: Bool { self.path.utf8.count + Self.temporarySuffix <= Self.longestPath }

    private init(folder: String, fileName: String) {
        self.folder = folder
        self.fileName = fileName
    }

    /// The location for a cache directory; `nil` if the system accepts no path for its socket.
    ///
    /// - Parameters:
    ///   - directory: the cache directory, as an absolute path.
    ///   - platform: the system.
    ///   - temporaryFolder: returns the user's own temporary folder; called on macOS only, for a
    ///     long path.
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

    /// 16 hexadecimal digits, the same in every process (FNV-1a of 64 bits).
    ///
    /// They distinguish the directories of one user; they keep nothing secret.
    private static func hash(of path: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The path without symbolic links, the same however a process names the directory.
    private static func realPath(of directory: String) -> String {
        guard let resolved = realpath(directory, nil) else { return directory }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The temporary folder that no other user may enter; `nil` if the system has none.
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
