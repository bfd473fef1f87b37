// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Waits for what ends the program: SIGTERM, SIGINT, or the end of standard input.
struct Ending {
    private let sources: [any DispatchSourceSignal]
    private let events: AsyncStream<Void>

    init() {
        let (events, event) = AsyncStream.makeStream(of: Void.self)
        self.events = events
        signal(SIGPIPE, SIG_IGN)
        self.sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { event.yield() }
            source.resume()
            return source
        }
        guard Self.isInputWatched else { return }
        // Lives until the input ends, or the program does.
        Thread.detachNewThread {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while read(STDIN_FILENO, &bytes, bytes.count) > 0 {}
            event.yield()
        }
    }

    func wait() async {
        for await _ in self.events { break }
        for source in self.sources { source.cancel() }
    }

    /// Whether the end of the input means anything: it does if another program holds it.
    ///
    /// A shell gives programs in the background an empty one, and a terminal has Control-C.
    private static var isInputWatched: Bool {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        let kind = status.st_mode & S_IFMT
        return kind == S_IFIFO || kind == S_IFSOCK
    }
}
