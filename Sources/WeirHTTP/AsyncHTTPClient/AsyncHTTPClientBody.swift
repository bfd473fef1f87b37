// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import WeirSource

/// The consumer's end of a body; when it goes, the request goes.
final class AsyncHTTPClientBody: HTTPBody {
    private let handOff: ResponseHandOff

    init(_ handOff: ResponseHandOff) {
        self.handOff = handOff
    }

    deinit {
        self.handOff.cancel()
    }

    func next() async throws -> ByteMemory? {
        try await withTaskCancellationHandler {
            do {
                return try await self.handOff.next().map(Self.memory)
            } catch let error as CancellationError {
                throw error
            } catch {
                throw HTTPTransportError(client: error, hasHead: true)
            }
        } onCancel: {
            self.handOff.cancel()
        }
    }

    func cancel() {
        self.handOff.cancel()
    }

    /// The readable bytes of a buffer, where they are.
    private static func memory(_ buffer: ByteBuffer) -> ByteMemory {
        ByteMemory(owner: buffer, count: buffer.readableBytes) { buffer, body in
            buffer.withUnsafeReadableBytes(body)
        }
    }
}
