// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The terminal as a player wants it: keys come one by one and unshown, and the cursor is out of sight.
///
/// Ctrl-C and Ctrl-Z are still the terminal's to send as signals. A program that has entered must leave.
final class TerminalMode: Sendable {
    /// The mode of the terminal before it was changed; `nil` while it is not.
    private let before = Mutex<termios?>(nil)
    private let hasHiddenCursor = Mutex(false)

    /// Where keys come from: standard input or, where that is something else, the terminal that the program belongs to;
    /// -1 where there is none.
    static let keyboard: CInt =
        isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)

    /// Whether both ends of the program are a terminal that can be drawn on; where standard input is what is played, keys
    /// come from elsewhere.
    static func isUsable(_ environment: ProgramEnvironment, playsInput: Bool = false) -> Bool {
        (isatty(STDIN_FILENO) == 1 || playsInput && self.keyboard >= 0)
            && isatty(STDOUT_FILENO) == 1
            && environment["TERM"] != nil && environment["TERM"] != "dumb"
    }

    /// Whether the program belongs to a terminal, which tells it by SIGHUP that it ends.
    static var hasTerminal: Bool {
        let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Whether the terminal is this program's now, and not the shell's that runs it in the background.
    ///
    /// Keys are only read, and the mode only set, in the foreground: the terminal stops whoever does else.
    static var isInForeground: Bool {
        let group = tcgetpgrp(self.keyboard)
        return group < 0 || group == getpgrp()
    }

    /// How many columns there are; 80 where the terminal does not tell.
    static var columns: Int { self.size.columns }

    /// How many columns and rows there are; 80 and 24 where the terminal does not tell.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Changes the terminal; nothing the second time.
    ///
    /// `hidesCursor`: for a program that draws. One that only reads keys leaves the cursor as it is.
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

    /// Leaves the terminal as it was; nothing the second time.
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

    /// Leaves the terminal to the shell, which has taken it.
    func forget() { self.before.withLock { $0 = nil } }

    private static func set(_ mode: inout termios, _ index: Int32, _ value: cc_t) {
        withUnsafeMutableBytes(of: &mode.c_cc) { bytes in
            guard bytes.indices.contains(Int(index)) else { return }
            bytes[Int(index)] = value
        }
    }
}
