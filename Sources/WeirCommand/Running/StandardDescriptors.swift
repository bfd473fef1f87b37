// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Standard input, output and error, which a program may be started without.
enum StandardDescriptors {
    /// Opens what is closed, so that no file that is opened later gets its number and the text that is meant for it.
    ///
    /// In the direction that nobody uses: reading and writing fail as they would have.
    static func fill() {
        while true {
            // The system gives the lowest number that is free.
            let next = open("/dev/null", O_RDONLY)
            guard next >= 0 else { return }
            guard next <= STDERR_FILENO else {
                close(next)
                return
            }
            guard next == STDIN_FILENO else { continue }
            let other = open("/dev/null", O_WRONLY)
            guard other >= 0 else { continue }
            dup2(other, STDIN_FILENO)
            close(other)
        }
    }
}
