// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The keys of a terminal that the player and `weir top` need.
enum TerminalKey: Hashable, Sendable {
    /// A printable ASCII character.
    case character(Character)
    case up
    case down
    case left
    case right
    case pageUp
    case pageDown
    case home
    case end
    /// Any other complete key sequence, control character or character beyond ASCII.
    case other
}

/// Parses the bytes that a terminal sends into keys: a pure machine, one byte at a time.
///
/// Arrow keys come as `ESC [ A`, or in application mode as `ESC O A` (ECMA-48 §5.4). A parameter
/// such as `1;5` may precede the letter. Page Up comes as `ESC [ 5 ~`. A single ESC gives no key:
/// the parser waits for the next byte. Unless that byte continues a sequence, it begins a key of
/// its own.
struct KeyParser {
    private enum State: Hashable {
        case ground
        /// After ESC.
        case escape
        /// After `ESC [`, with the number of parameter bytes so far, and the first of them.
        case sequence(Int, first: UInt8)
        /// After `ESC O`.
        case application
        /// In a character of several bytes, with the number of missing bytes.
        case text(Int)
    }

    /// The longest sequence of a key.
    private static let longestSequence = 16

    private var state = State.ground

    /// Takes a byte.
    ///
    /// - Returns: the key that the byte completes; `nil` if it completes none.
    mutating func push(_ byte: UInt8) -> TerminalKey? {
        switch self.state {
        case .text(let left) where byte & 0xC0 == 0x80:
            self.state = left > 1 ? .text(left - 1) : .ground
            return left > 1 ? nil : .other
        case .ground, .text: return self.start(byte)
        case .escape:
            switch byte {
            case UInt8(ascii: "["): self.state = .sequence(0, first: 0)
            case UInt8(ascii: "O"): self.state = .application
            default: return self.start(byte)
            }
            return nil
        case .application:
            self.state = .ground
            return Self.key(of: byte)
        case .sequence(let count, let first): return self.go(on: byte, after: count, first)
        }
    }

    private mutating func go(on byte: UInt8, after count: Int, _ first: UInt8) -> TerminalKey? {
        switch byte {
        case 0x20...0x3F where count < Self.longestSequence:
            self.state = .sequence(count + 1, first: count == 0 ? byte : first)
            return nil
        case UInt8(ascii: "~"):
            self.state = .ground
            return count == 1 ? Self.key(ofNumber: first) : .other
        case 0x40...0x7E:
            self.state = .ground
            return Self.key(of: byte)
        default:
            // No sequence contains this byte, so the earlier bytes were not a sequence.
            return self.start(byte)
        }
    }

    /// Takes the first byte of a key.
    private mutating func start(_ byte: UInt8) -> TerminalKey? {
        self.state = .ground
        switch byte {
        case 0x1B: self.state = .escape
        case 0x20...0x7E: return .character(Character(Unicode.Scalar(byte)))
        case 0xC2...0xDF: self.state = .text(1)
        case 0xE0...0xEF: self.state = .text(2)
        case 0xF0...0xF4: self.state = .text(3)
        default: return .other
        }
        return nil
    }

    private static func key(of final: UInt8) -> TerminalKey {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        default: .other
        }
    }

    /// The key with a number before a `~`.
    private static func key(ofNumber digit: UInt8) -> TerminalKey {
        switch digit {
        case UInt8(ascii: "1"), UInt8(ascii: "7"): .home
        case UInt8(ascii: "4"), UInt8(ascii: "8"): .end
        case UInt8(ascii: "5"): .pageUp
        case UInt8(ascii: "6"): .pageDown
        default: .other
        }
    }
}

extension TerminalKey {
    /// The keys of the terminal from now on.
    ///
    /// The stream ends with the terminal. Reading stops when the consumer releases the stream.
    static func stream() -> AsyncStream<TerminalKey> {
        // If the consumer is slow, older keys may be dropped.
        let (stream, continuation) = AsyncStream.makeStream(
            of: TerminalKey.self,
            bufferingPolicy: .bufferingNewest(64)
        )
        // The handler runs on this queue only, one call at a time.
        let queue = DispatchQueue(label: "weir.keys")
        let source = DispatchSource.makeReadSource(
            fileDescriptor: TerminalMode.keyboard,
            queue: queue
        )
        // Only the handler uses the parser.
        nonisolated(unsafe) var parser = KeyParser()
        source.setEventHandler {
            // In the background, the shell reads the input.
            guard TerminalMode.isInForeground else {
                usleep(100_000)
                return
            }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(TerminalMode.keyboard, &bytes, bytes.count)
            guard count > 0 else {
                if count == 0 || errno != EINTR && errno != EAGAIN { continuation.finish() }
                return
            }
            for byte in bytes.prefix(count) {
                if let key = parser.push(byte) { continuation.yield(key) }
            }
        }
        // A source may be cancelled from any thread. After this line, only the closure and `resume`
        // use the source.
        nonisolated(unsafe) let ended = source
        continuation.onTermination = { _ in ended.cancel() }
        source.resume()
        return stream
    }
}
