// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayerSimulation
import WeirSource

@testable import WeirAVFoundation

extension Flaw {
    static let pieces: [Flaw] = [
        Flaw("catches pieces that are too large", .pieceSize) { limits in
            var gathered: [RequestID: [UInt8]] = [:]
            return .replacing(limits) { effect in
                switch effect {
                case .respond(let id, let bytes):
                    gathered[id, default: []] += bytes.copy
                    guard let all = gathered[id], all.count > limits.largestPiece else { return [] }
                    gathered[id] = nil
                    return [.respond(id, ByteMemory(all))]
                case .finish(let id), .fail(let id, _):
                    guard let all = gathered.removeValue(forKey: id) else { return [effect] }
                    return [.respond(id, ByteMemory(all)), effect]
                default: return [effect]
                }
            }
        },
        Flaw("catches empty pieces", .pieceSize) { limits in
            .replacing(limits) { effect in
                guard case .respond(let id, _) = effect else { return [effect] }
                return [.respond(id, ByteMemory([])), effect]
            }
        },
        Flaw("catches small pieces", .noSmallPieces) { limits in
            .replacing(limits) { effect in
                guard case .respond(let id, let bytes) = effect else { return [effect] }
                return (0..<bytes.count).map { .respond(id, bytes[$0..<($0 + 1)]) }
            }
        },
        Flaw("catches bytes ahead of the player without bound", .window) { limits in
            func answer(_ event: Event, _ server: inout LoadingRequestServer) -> [Effect] {
                server.handle(event).flatMap { effect -> [Effect] in
                    guard case .respond(let id, let bytes) = effect else { return [effect] }
                    // Claims that the player has released the bytes that it has just received.
                    return [effect] + answer(.released(id, bytes.count), &server)
                }
            }
            return BrokenServer(limits) { event, server in
                if case .released = event { return [] }
                return answer(event, &server)
            }
        },
        Flaw("catches bytes that are hoarded", .memory) { limits in
            var hoarded = 0
            return BrokenServer(limits, hoard: { hoarded }) { event, server in
                if case .arrived(_, let bytes) = event { hoarded += bytes.count }
                return server.handle(event)
            }
        },
    ]
}
