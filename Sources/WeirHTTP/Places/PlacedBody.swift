// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// A body that holds a place of its host until it has ended, and tells when its consumer rests.
final class PlacedBody: HTTPBody {
    private let body: any HTTPBody
    private let place: ConnectionPlace

    init(_ body: any HTTPBody, _ place: ConnectionPlace) {
        self.body = body
        self.place = place
        place.rested()
    }

    deinit {
        self.cancel()
    }

    func next() async throws -> ByteMemory? {
        self.place.resumed()
        do {
            guard let memory = try await self.body.next() else {
                self.place.release()
                return nil
            }
            self.place.rested()
            return memory
        } catch {
            self.place.release()
            throw error
        }
    }

    func cancel() {
        self.body.cancel()
        self.place.release()
    }
}
