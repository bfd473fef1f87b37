// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirHTTP
internal import WeirSource

/// The consumer's end of a body; when it goes, the request goes.
final class AnswerBody: HTTPBody {
    private let delivery: Delivery

    init(_ delivery: Delivery) {
        self.delivery = delivery
    }

    deinit {
        self.delivery.cancel()
    }

    func next() async throws -> ByteMemory? {
        try await withTaskCancellationHandler {
            try await self.delivery.next()
        } onCancel: {
            self.delivery.cancel()
        }
    }

    func cancel() {
        self.delivery.cancel()
    }
}
