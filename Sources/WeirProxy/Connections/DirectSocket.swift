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

/// A connection's socket, for a call that NIO lacks: it sends a head and the first bytes of a file
/// at once.
///
/// This saves the promise, the file handle and the queue of a write through the channel. Other
/// systems than Linux have no such socket.
///
/// Use it only while the channel is active and has no pending writes: then the descriptor is open,
/// and NIO sends nothing of its own. All calls are made on the channel's event loop.
struct DirectSocket: Equatable {
    private let descriptor: CInt

    /// The socket of a channel; `nil` if it has none, or if the system is not Linux.
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

    /// Sends a head and then bytes of a file, as far as the system takes them without waiting.
    ///
    /// Errors are not reported: the next use of the channel meets them again.
    ///
    /// - Parameters:
    ///   - head: the bytes to send first.
    ///   - file: the file that holds the bytes to send next.
    ///   - offset: their position in the file.
    ///   - count: their number, 1 or more.
    ///   - joined: whether the head waits for the bytes, and goes in one segment with them
    ///     (`MSG_MORE`). If not, TCP_NODELAY sends it at once, and the client wakes up for it.
    /// - Returns: how many bytes of the head and of the file were taken.
    func write(
        _ head: UnsafeRawBufferPointer,
        then file: any LeasedFile,
        at offset: Int64,
        count: Int,
        joined: Bool
    ) -> (head: Int, body: Int) {
        #if os(Linux)
        var taken = (head: 0, body: 0)
        let flags = (joined ? CInt(MSG_MORE) : 0) | CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
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
    /// Errors are not reported: the next use of the channel meets them again.
    ///
    /// - Parameter bytes: the bytes to send.
    /// - Returns: how many of them were taken.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if os(Linux)
        let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
        return Self.repeated { send(self.descriptor, bytes.baseAddress, bytes.count, flags) }
        #else
        return 0
        #endif
    }

    /// How many bytes the other side has acknowledged on this connection; `nil` if the system does
    /// not report it.
    ///
    /// `tcpi_bytes_acked` in `linux/tcp.h`, whose `tcp_info` is longer than the C library's.
    var acknowledgedByteCount: UInt64? {
        #if os(Linux)
        let offset = 120
        return withUnsafeTemporaryAllocation(byteCount: offset + 8, alignment: 8) { info in
            var length = socklen_t(info.count)
            let result = getsockopt(
                self.descriptor,
                CInt(IPPROTO_TCP),
                TCP_INFO,
                info.baseAddress,
                &length
            )
            guard result == 0, Int(length) >= offset + 8 else { return nil }
            return info.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        #else
        return nil
        #endif
    }

    #if os(Linux)
    /// Repeats a system call that a signal interrupted; 0 for an error.
    private static func repeated(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return max(0, result) }
        }
    }
    #endif
}
