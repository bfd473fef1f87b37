// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A socket that a service manager listens on and hands over: the protocol of sd_listen_fds(3).
struct ListeningSocket: Hashable, Sendable {
    /// The number of the first socket that is handed over.
    private static let firstDescriptor: CInt = 3

    let descriptor: CInt
    let address: ListenAddress

    /// The socket that this process was started with; `nil` if none was meant for it.
    ///
    /// Programs that are started from here do not get it.
    static func inherited(_ environment: ProgramEnvironment) -> ListeningSocket? {
        guard let process = environment["LISTEN_PID"].flatMap({ pid_t($0) }), process == getpid(),
            let count = environment["LISTEN_FDS"].flatMap({ Int($0) }), count >= 1
        else { return nil }
        let descriptor = Self.firstDescriptor
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return LocalNetwork.address(ofSocket: descriptor)
            .map { ListeningSocket(descriptor: descriptor, address: $0) }
    }
}
