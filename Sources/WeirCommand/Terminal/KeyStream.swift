// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The keys of the terminal that standard input is.
enum KeyStream {
    /// Keys from now on; ends with standard input, and stops to read when nobody takes them any more.
    static func keys() -> AsyncStream<TerminalKey> {
        // Keys that are held down while nothing takes them are worth nothing.
        let (stream, continuation) = AsyncStream.makeStream(
            of: TerminalKey.self,
            bufferingPolicy: .bufferingNewest(64)
        )
        // The handler runs on this queue only, one call at a time.
        let queue = DispatchQueue(label: "weir.keys")
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        // Touched by the handler only.
        nonisolated(unsafe) var parser = KeyParser()
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else {
                if count == 0 || errno != EINTR && errno != EAGAIN { continuation.finish() }
                return
            }
            for byte in bytes.prefix(count) {
                if let key = parser.push(byte) { continuation.yield(key) }
            }
        }
        // A source may be cancelled from any thread; it is touched here and there only.
        nonisolated(unsafe) let ended = source
        continuation.onTermination = { _ in ended.cancel() }
        source.resume()
        return stream
    }
}
