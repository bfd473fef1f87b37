// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import WeirSource

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A connection's socket, for the one thing that NIO cannot be asked: to send a head and the first
/// bytes of a file as one.
///
/// NIO writes the head and then sends the file, and with TCP_NODELAY that is a segment for the head
/// alone: a client that waits is woken for it, finds no body and waits again. Linux joins the two
/// where the head is sent with the promise that more follows (`MSG_MORE`). It also spares the
/// promise, the file handle and the queue that a write through the channel needs. Elsewhere there
/// is no such socket.
///
/// Only for a channel that is active and to which nothing is being written: the descriptor is then
/// open and NIO has nothing of its own on the way. All of that happens on the channel's event loop.
struct DirectSocket {
    private let descriptor: CInt

    /// The socket of a channel, if it is one that can do it.
    init?(of channel: any Channel) {
        #if os(Linux)
        let descriptor = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        guard let descriptor else { return nil }
        self.descriptor = descriptor
        #else
        return nil
        #endif
    }

    /// Sends a head and what follows it in a file, as far as the system takes it without waiting.
    ///
    /// An error is not told: the next use of the channel meets it again.
    ///
    /// - Parameters:
    ///   - head: what goes first.
    ///   - file: what the bytes lie in that follow.
    ///   - offset: where they lie.
    ///   - count: how many they are, 1 or more.
    /// - Returns: how much was taken of both.
    func write(
        _ head: UnsafeRawBufferPointer,
        then file: any LeasedFile,
        at offset: Int64,
        count: Int
    ) -> (head: Int, body: Int) {
        #if os(Linux)
        var taken = (head: 0, body: 0)
        let flags = CInt(MSG_MORE) | CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
        taken.head = Self.repeated { send(self.descriptor, head.baseAddress, head.count, flags) }
        guard taken.head == head.count else { return taken }
        guard let source = file.descriptor else { return taken }
        var position = off_t(offset)
        taken.body = Self.repeated {
            sendfile(self.descriptor, source, &position, count)
        }
        return taken
        #else
        return (0, 0)
        #endif
    }

    /// Sends bytes, as far as the system takes them without waiting.
    ///
    /// An error is not told: the next use of the channel meets it again.
    ///
    /// - Parameter bytes: what is sent.
    /// - Returns: how many were taken.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if os(Linux)
        let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
        return Self.repeated { send(self.descriptor, bytes.baseAddress, bytes.count, flags) }
        #else
        return 0
        #endif
    }

    /// How many bytes the other side has acknowledged since the connection was made; `nil` where the system does not tell.
    ///
    /// `tcpi_bytes_acked` in `linux/tcp.h`, whose `tcp_info` is longer than that of the C library.
    var acknowledgedByteCount: UInt64? {
        #if os(Linux)
        let place = 120
        return withUnsafeTemporaryAllocation(byteCount: place + 8, alignment: 8) { info in
            var length = socklen_t(info.count)
            let result = getsockopt(
                self.descriptor,
                CInt(IPPROTO_TCP),
                TCP_INFO,
                info.baseAddress,
                &length
            )
            guard result == 0, Int(length) >= place + 8 else { return nil }
            return info.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        }
        #else
        return nil
        #endif
    }

    #if os(Linux)
    /// Makes a system call again that a signal interrupted; 0 for an error.
    private static func repeated(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return max(0, result) }
        }
    }
    #endif
}
