// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A player as a child process in the same terminal, where it reads keys and receives Ctrl-C, too.
struct PlayerProcess {
    let identifier: pid_t

    /// Starts a program from PATH, with this process's environment except some variables.
    ///
    /// - Throws: ``CommandError`` if the program cannot be started.
    init(_ arguments: [String], without variables: [String] = []) throws {
        #if canImport(Darwin)
        // On Apple platforms this is a pointer, which the system sets.
        var attributes: posix_spawnattr_t?
        #else
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Signals that this program ignores must end the player as in a shell.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGINT)
        sigaddset(&defaults, SIGTERM)
        if !Signals.outlivesTerminal { sigaddset(&defaults, SIGHUP) }
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        // The current thread may block signals, which the player must not inherit.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        // This process keeps the variables, since it may need them again.
        var kept: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let entry = next.pointee {
            if !variables.contains(where: { String(cString: entry).hasPrefix("\($0)=") }) {
                kept.append(entry)
            }
            next += 1
        }
        kept.append(nil)
        var identifier: pid_t = 0
        let result = posix_spawnp(&identifier, arguments[0], nil, &attributes, words, kept)
        guard result == 0 else {
            throw CommandError.failed(
                "The player '\(arguments[0])' could not be started (\(String(cString: strerror(result)))); install it or give its path."
            )
        }
        self.identifier = identifier
    }

    /// Waits for the player's end, on a thread of its own.
    ///
    /// - Returns: the player's exit code, or 128 plus the number of the signal that ended it.
    func exitCode() async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [identifier] in
                var status: Int32 = 0
                while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
                let signal = status & 0x7f
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xff : 128 + signal)
            }
        }
    }
}
