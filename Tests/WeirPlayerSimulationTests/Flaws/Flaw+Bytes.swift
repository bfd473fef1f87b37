// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayerSimulation
import WeirSource

@testable import WeirAVFoundation

extension Flaw {
    static let bytes: [Flaw] = [
        Flaw("catches a probe that is answered with more than two bytes", .nothingBeyond) {
            limits in
            .told(limits) { event in
                guard case .requested(var request) = event, request.bytes?.length == 2,
                    request.wantsInformation
                else { return [event] }
                request.bytes?.length = 10
                return [.requested(request)]
            }
        },
        Flaw("catches bytes beyond the request", .nothingBeyond) { limits in
            .told(limits) { event in
                guard case .requested(var request) = event, let bytes = request.bytes,
                    bytes.length > 2, !bytes.toTheEnd
                else { return [event] }
                request.bytes?.toTheEnd = true
                return [.requested(request)]
            }
        },
        Flaw("catches bytes that stop coming", .rightBytes, .finishedWhole) { limits in
            var seen: Set<RequestID> = []
            return .replacing(limits) { effect in
                guard case .respond(let id, _) = effect else { return [effect] }
                return seen.insert(id).inserted ? [effect] : []
            }
        },
        Flaw("catches a gap in the middle", .rightBytes) { limits in
            var number = 0
            return .replacing(limits) { effect in
                guard case .respond = effect else { return [effect] }
                number += 1
                return number.isMultiple(of: 3) ? [] : [effect]
            }
        },
        Flaw("catches a piece that comes twice", .rightBytes) { limits in
            var seen: Set<RequestID> = []
            return .replacing(limits) { effect in
                guard case .respond(let id, _) = effect, seen.insert(id).inserted else {
                    return [effect]
                }
                return [effect, effect]
            }
        },
        Flaw("catches pieces that come in the wrong order", .rightBytes) { limits in
            var kept: [RequestID: Effect] = [:]
            return .replacing(limits) { effect in
                switch effect {
                case .respond(let id, _):
                    guard let other = kept.removeValue(forKey: id) else {
                        kept[id] = effect
                        return []
                    }
                    return [effect, other]
                case .finish(let id), .fail(let id, _):
                    return [kept.removeValue(forKey: id), effect].compactMap { $0 }
                default: return [effect]
                }
            }
        },
        Flaw("catches a byte that is wrong", .rightBytes) { limits in
            .replacing(limits) { effect in
                guard case .respond(let id, let bytes) = effect, bytes.count > 3 else {
                    return [effect]
                }
                var copy = bytes.copy
                copy[copy.count / 2] ^= 1
                return [.respond(id, ByteMemory(copy))]
            }
        },
        Flaw("catches a change that is hidden, so that two versions are mixed", .oneVersion) {
            limits in
            var first: ResourceDescription?
            return BrokenServer(limits) { event, server in
                var event = event
                if case .opened(let id, let description, let lowerBound) = event {
                    first = first ?? description
                    event = .opened(id, first ?? description, lowerBound: lowerBound)
                }
                return server.handle(event).map { effect in
                    guard case .read(let id, var demand) = effect, demand.version != nil else {
                        return effect
                    }
                    demand.version = ReadDemand.Version(validator: nil, length: nil)
                    return .read(id, demand)
                }
            }
        },
        Flaw("catches answers after the origin has changed", .nothingAfterChange) { limits in
            .told(limits) { event in
                guard case .failed(let id, let error) = event, error.code == .changed else {
                    return [event]
                }
                return [.failed(id, SourceError(.unreachable, "The origin does not answer."))]
            }
        },
        Flaw("catches bytes for a request that was not made", .nothingUnasked) { limits in
            .replacing(limits) { effect in
                guard case .respond(_, let bytes) = effect else { return [effect] }
                return [effect, .respond(RequestID(1000), bytes)]
            }
        },
    ]
}
