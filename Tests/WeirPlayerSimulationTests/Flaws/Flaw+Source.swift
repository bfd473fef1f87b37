// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayerSimulation
import WeirSource

@testable import WeirAVFoundation

extension Flaw {
    static let source: [Flaw] = [
        Flaw("catches readings that are not pinned", .pinned) { limits in
            .replacing(limits) { effect in
                guard case .read(let id, let demand) = effect else { return [effect] }
                return [.read(id, ReadDemand(demand.range))]
            }
        },
        Flaw("catches readings that begin where the request began", .readsWhatIsMissing) { limits in
            var starts: [Int64] = []
            return BrokenServer(limits) { event, server in
                if case .requested(let request) = event, let bytes = request.bytes {
                    starts.append(bytes.offset)
                }
                return server.handle(event).map { effect in
                    guard case .read(let id, let demand) = effect,
                        let missing = demand.range.knownLowerBound,
                        let start = starts.last(where: { $0 < missing })
                    else { return effect }
                    return .read(id, ReadDemand(.from(start), version: demand.version))
                }
            }
        },
        Flaw("catches readings that run ahead of the demand", .readsInMeasure) { limits in
            var open: Set<ReadID> = []
            return BrokenServer(limits) { event, server in
                switch event {
                case .ended(let id), .failed(let id, _): open.remove(id)
                case .arrived(let id, _) where open.contains(id):
                    // Pulls again at once, and discards the piece that has arrived.
                    return [.pull(id, atMost: limits.largestPiece)]
                default: break
                }
                let effects = server.handle(event)
                for case .read(let id, let demand) in effects
                where demand.range.knownLowerBound != 0 { open.insert(id) }
                return effects
            }
        },
        Flaw("catches pulls that do not wait for an answer", .pullSize) { limits in
            .replacing(limits) { effect in
                if case .pull = effect { [effect, effect] } else { [effect] }
            }
        },
        Flaw("catches pulls of more than a piece", .pullSize) { limits in
            .replacing(limits) { effect in
                guard case .pull(let id, _) = effect else { return [effect] }
                return [.pull(id, atMost: limits.largestPiece * 2)]
            }
        },
        Flaw("catches waits without end", .rests) { limits in
            BrokenServer(limits) { event, server in
                if case .waited(let id) = event { return [.wait(id, limits.gathering)] }
                return server.handle(event)
            }
        },
    ]

    static let order: [Flaw] = [
        Flaw("catches an older request that goes before a newer one", .newestFirst) { limits in
            var changed = limits
            changed.lead = 0
            return BrokenServer(changed) { event, server in server.handle(event) }
        },
        Flaw(
            "catches a server for each request instead of one",
            .readsWhatIsMissing,
            .newestFirst
        ) { limits in
            var servers: [RequestID: LoadingRequestServer] = [:]
            return BrokenServer(limits) { event, _ in
                Self.apart(event, limits, &servers)
            }
        },
    ]

    /// Sends each server its events; numbers of readings and waits have a different base for each server.
    private static func apart(
        _ event: Event,
        _ limits: Limits,
        _ servers: inout [RequestID: LoadingRequestServer]
    ) -> [Effect] {
        if case .requested(let request) = event {
            servers[request.id] = LoadingRequestServer(limits: limits)
        }
        var effects: [Effect] = []
        for id in servers.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            let base = (id.rawValue + 1) << 20
            func isMine(_ number: Int) -> Bool { number >> 20 == base >> 20 }
            func mine(_ read: ReadID) -> ReadID { ReadID(rawValue: read.rawValue - base) }
            var told: Event?
            switch event {
            case .requested(let request): told = request.id == id ? event : nil
            case .cancelled(let request), .released(let request, _):
                told = request == id ? event : nil
            case .opened(let read, let description, let lowerBound) where isMine(read.rawValue):
                told = .opened(mine(read), description, lowerBound: lowerBound)
            case .arrived(let read, let bytes) where isMine(read.rawValue):
                told = .arrived(mine(read), bytes)
            case .ended(let read) where isMine(read.rawValue): told = .ended(mine(read))
            case .failed(let read, let error) where isMine(read.rawValue):
                told = .failed(mine(read), error)
            case .waited(let wait) where isMine(wait.rawValue):
                told = .waited(LoadingRequestServer.WaitID(rawValue: wait.rawValue - base))
            case .abandoned: told = event
            default: break
            }
            guard let told, let answered = servers[id]?.handle(told) else { continue }
            effects += answered.map { Self.numbered($0, from: base) }
        }
        return effects
    }

    private static func numbered(_ effect: Effect, from base: Int) -> Effect {
        func named(_ read: ReadID) -> ReadID { ReadID(rawValue: read.rawValue + base) }
        return switch effect {
        case .read(let read, let demand): .read(named(read), demand)
        case .pull(let read, let count): .pull(named(read), atMost: count)
        case .drop(let read): .drop(named(read))
        case .wait(let wait, let duration):
            .wait(LoadingRequestServer.WaitID(rawValue: wait.rawValue + base), duration)
        default: effect
        }
    }
}
