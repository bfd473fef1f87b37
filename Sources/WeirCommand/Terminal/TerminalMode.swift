// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A terminal in the mode that a player needs: keys come one by one without echo, and the cursor is hidden.
///
/// The terminal still turns Ctrl-C and Ctrl-Z into signals. A program that calls `enter` must call `leave`.
final class TerminalMode: Sendable {
    /// The mode before the change; `nil` if the mode is unchanged.
    private let before = Mutex<termios?>(nil)
    private let hasHiddenCursor = Mutex(false)

    /// The descriptor for keys: standard input, or else the controlling terminal; -1 without a terminal.
    static let keyboard: CInt =
        isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)

    /// Whether keys can be read and standard output can be drawn on.
    ///
    /// If standard input is the medium, the keys come from the controlling terminal.
    static func isUsable(_ environment: ProgramEnvironment, playsInput: Bool = false) -> Bool {
        (isatty(STDIN_FILENO) == 1 || playsInput && self.keyboard >= 0)
            && isatty(STDOUT_FILENO) == 1
            && environment["TERM"] != nil && environment["TERM"] != "dumb"
    }

    /// Whether the program has a controlling terminal, which sends SIGHUP when it closes.
    static var hasTerminal: Bool {
        let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Whether the program is in the foreground of its terminal.
    ///
    /// Only the foreground may read keys and set the mode; the terminal stops a background process that tries.
    static var isInForeground: Bool {
        let group = tcgetpgrp(self.keyboard)
        return group < 0 || group == getpgrp()
    }

    /// The number of columns; 80 if the terminal reports none.
    static var columns: Int { self.size.columns }

    /// The number of columns and rows; 80 and 24 if the terminal reports none.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Changes the mode of the terminal; a second call does nothing.
    ///
    /// `hidesCursor`: whether to hide the cursor, for a program that draws.
    func enter(hidesCursor: Bool = true) {
        let isEntered = self.before.withLock { before -> Bool in
            guard before == nil else { return false }
            var mode = termios()
            guard tcgetattr(Self.keyboard, &mode) == 0 else { return false }
            before = mode
            mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
            Self.set(&mode, VMIN, 1)
            Self.set(&mode, VTIME, 0)
            return tcsetattr(Self.keyboard, TCSADRAIN, &mode) == 0
        }
        guard isEntered, hidesCursor else { return }
        self.hasHiddenCursor.withLock { $0 = true }
        Output.draw("\u{1B}[?25l")
    }

    /// Restores the mode of the terminal; a second call does nothing.
    func leave() {
        let isLeft = self.before.withLock { before -> Bool in
            guard var mode = before else { return false }
            before = nil
            return tcsetattr(Self.keyboard, TCSADRAIN, &mode) == 0
        }
        guard isLeft else { return }
        let isHidden = self.hasHiddenCursor.withLock { isHidden in
            defer { isHidden = false }
            return isHidden
        }
        if isHidden { Output.draw("\u{1B}[?25h") }
    }

    /// Forgets the saved mode, since the shell has set its own.
    func forget() { self.before.withLock { $0 = nil } }

    private static func set(_ mode: inout termios, _ index: Int32, _ value: cc_t) {
        withUnsafeMutableBytes(of: &mode.c_cc) { bytes in
            guard bytes.indices.contains(Int(index)) else { return }
            bytes[Int(index)] = value
        }
    }
}
