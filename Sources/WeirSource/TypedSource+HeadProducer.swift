// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension TypedSource {
    /// Pulls the first chunks of a reading, shows their bytes, and then yields them and the rest.
    final class HeadProducer: ChunkProducer {
        private struct State {
            var chunks: ArraySlice<ByteChunk> = []
            var rest: ByteReading.AsyncIterator?
            /// What ended the filling after its first chunk; thrown once the chunks are gone.
            var failure: (any Error)?
        }

        private enum Step {
            case chunk(ByteChunk)
            case rest(ByteReading.AsyncIterator)
            case failure(any Error)
            case end
        }

        private let state: Mutex<State>
        private let head = Mutex<[UInt8]>([])
        private let length: Int64?

        init(_ reading: ByteReading) {
            self.state = Mutex(State(rest: reading.makeAsyncIterator()))
            self.length = reading.description.length
        }

        /// The bytes that ``fill()`` has seen, 512 at most.
        var bytes: [UInt8] { self.head.withLock { $0 } }

        /// Pulls until 512 bytes have come, or fewer that leave no doubt.
        ///
        /// Called once, before anything is yielded.
        ///
        /// - Returns: whether there are no more bytes to look at: 512 have come, or the resource is over.
        func fill() async throws -> Bool {
            guard let rest = self.state.withLock({ $0.rest }) else { return false }
            var head: [UInt8] = []
            while head.count < TypedSource.headLength {
                do {
                    guard let chunk = try await rest.next() else {
                        self.state.withLock { $0.rest = nil }
                        break
                    }
                    self.state.withLock { $0.chunks.append(chunk) }
                    // Bytes that the disk refuses are the consumer's to stumble over, not the type's.
                    let part = chunk.clamped(to: 0..<TypedSource.headLength)
                    guard let bytes = try? part?.bytes() else { break }
                    head += bytes
                } catch {
                    guard !head.isEmpty, !(error is CancellationError) else { throw error }
                    self.state.withLock { state in
                        state.rest = nil
                        state.failure = error
                    }
                    break
                }
                let content = head.withUnsafeBytes { SniffedContent(of: ByteWindow($0)) }
                if content?.alternatives.isEmpty == true { break }
            }
            self.head.withLock { [head] in $0 = head }
            return head.count >= TypedSource.headLength || self.length == Int64(head.count)
        }

        func next() async throws -> ByteChunk? {
            try Task.checkCancellation()
            let step = self.state.withLock { state -> Step in
                if let chunk = state.chunks.popFirst() { return .chunk(chunk) }
                if let failure = state.failure { return .failure(failure) }
                return state.rest.map(Step.rest) ?? .end
            }
            switch step {
            case .chunk(let chunk): return chunk
            case .rest(let rest): return try await rest.next()
            case .failure(let error): throw error
            case .end: return nil
            }
        }

        /// Lets go of the base's reading, which thereby ends.
        func cancel() {
            self.state.withLock { state in
                state.chunks = []
                state.rest = nil
                state.failure = nil
            }
        }
    }
}
