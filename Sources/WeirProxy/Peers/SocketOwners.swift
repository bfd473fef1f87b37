// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Asks the system for the owner of a TCP socket of this machine, over a netlink socket.
///
/// ``SocketDiagnosis`` has the messages. The system answers during the call that sends the
/// question, so the thread does not wait. A question takes one call to send and one to read. Any
/// thread may ask; one asks at a time. Only Linux answers.
final class SocketOwners: Sendable {
    /// How many messages are read to find the answer to one question.
    private static let maximumMessages = 16

    private let descriptor: Int32
    private let sequence = Mutex<UInt32>(0)

    /// Opens the netlink socket.
    ///
    /// - Returns: `nil` if the system opens no such socket.
    init?() {
        #if os(Linux)
        // No Swift module has `linux/netlink.h`. SOCK_CLOEXEC is O_CLOEXEC on Linux
        // (`linux/net.h`).
        self.descriptor = socket(
            SocketDiagnosis.netlinkFamily,
            Self.datagramSocket | O_CLOEXEC,
            SocketDiagnosis.netlinkProtocol
        )
        guard self.descriptor >= 0 else { return nil }
        #else
        return nil
        #endif
    }

    deinit {
        if self.descriptor >= 0 { close(self.descriptor) }
    }

    /// Whether the system really reports owners: it must find a socket that this process makes for
    /// the test.
    ///
    /// A kernel without the module for TCP reports that no socket exists.
    func isAnswering() -> Bool {
        #if os(Linux)
        let listener = socket(AF_INET, Self.streamSocket | O_CLOEXEC, 0)
        guard listener >= 0 else { return false }
        defer { close(listener) }
        // `struct sockaddr_in`: family, port and address in network order, 8 bytes of padding.
        // Built by hand, since more than one module claims to define it.
        var address = (sa_family_t(AF_INET), UInt16(0), UInt32(0x7F00_0001).bigEndian, UInt64(0))
        var length = socklen_t(MemoryLayout.size(ofValue: address))
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { return false }
        let pair = SocketPair(
            local: SocketPair.End(ipv4: [127, 0, 0, 1], port: UInt16(bigEndian: address.1)),
            remote: SocketPair.End(ipv4: [0, 0, 0, 0], port: 0)
        )
        return self.answer(about: pair) == .open(user: geteuid())
        #else
        return false
        #endif
    }

    /// Asks about the socket that has these ends.
    ///
    /// - Parameter pair: the ends, as that socket sees them.
    /// - Returns: the answer; `unreadable` if none arrives.
    func answer(about pair: SocketPair) -> SocketDiagnosis.Answer {
        #if os(Linux)
        self.sequence.withLock { sequence in
            sequence &+= 1
            let question = SocketDiagnosis.question(about: pair, sequence: sequence)
            let sent = Self.repeated {
                send(self.descriptor, question, question.count, CInt(MSG_DONTWAIT))
            }
            guard sent == question.count else { return .unreadable }
            for _ in 0..<Self.maximumMessages {
                guard let message = self.message() else { return .unreadable }
                let answer = SocketDiagnosis.answer(message.bytes, about: pair, sequence: sequence)
                // The message comes from another program, or answers an earlier question.
                if !message.isOfKernel || answer == .unrelated { continue }
                return answer
            }
            return .unreadable
        }
        #else
        .unreadable
        #endif
    }

    #if os(Linux)
    #if canImport(Musl)
    private static let datagramSocket = SOCK_DGRAM
    private static let streamSocket = SOCK_STREAM
    #else
    private static let datagramSocket = Int32(SOCK_DGRAM.rawValue)
    private static let streamSocket = Int32(SOCK_STREAM.rawValue)
    #endif

    /// The next message; `nil` if there is none.
    private func message() -> (bytes: [UInt8], isOfKernel: Bool)? {
        // `struct sockaddr_nl` of `linux/netlink.h`: 12 bytes, the sender's port identifier at 4;
        // the kernel's is 0.
        var sender: (UInt32, UInt32, UInt32, UInt32) = (0, .max, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: sender))
        var received = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
            received = withUnsafeMutablePointer(to: &sender) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { sender in
                    Self.repeated {
                        recvfrom(
                            self.descriptor,
                            buffer.baseAddress,
                            buffer.count,
                            CInt(MSG_DONTWAIT),
                            sender,
                            &length
                        )
                    }
                }
            }
            count = max(0, received)
        }
        return received < 0 ? nil : (bytes, sender.1 == 0)
    }

    /// Repeats a system call that a signal interrupted.
    private static func repeated(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
    #endif
}
