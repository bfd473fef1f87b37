// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayerSimulation
import WeirSource

@testable import WeirAVFoundation

extension Flaw {
    static let ends: [Flaw] = [
        Flaw("catches a request that is finished twice", .endsOnce) { limits in
            .replacing(limits) { effect in
                if case .finish = effect { [effect, effect] } else { [effect] }
            }
        },
        Flaw("catches a request that never ends", .ends) { limits in
            .replacing(limits) { effect in
                if case .finish = effect { [] } else { [effect] }
            }
        },
        Flaw("catches a request that is finished although the source ended early", .finishedWhole) {
            limits in
            .replacing(limits) { effect in
                guard case .fail(let id, .endedEarly) = effect else { return [effect] }
                return [.finish(id)]
            }
        },
        Flaw("catches a request that is finished although the source failed", .finishedWhole) {
            limits in
            .replacing(limits) { effect in
                guard case .fail(let id, .source) = effect else { return [effect] }
                return [.finish(id)]
            }
        },
        Flaw(
            "catches a finish at the length that was asked for, where everything was",
            .finishedWhole
        ) { limits in
            .told(limits) { event in
                guard case .requested(var request) = event else { return [event] }
                request.bytes?.toTheEnd = false
                return [.requested(request)]
            }
        },
        Flaw("catches a request that fails for no reason", .failsForReason) { limits in
            .replacing(limits) { effect in
                guard case .finish(let id) = effect else { return [effect] }
                return [.fail(id, .cancelled)]
            }
        },
        Flaw("catches an application that is notified twice", .toldOnce) { limits in
            .replacing(limits) { effect in
                if case .tell(.loadedWhole) = effect { [effect, effect] } else { [effect] }
            }
        },
    ]

    static let cancellations: [Flaw] = [
        Flaw("catches bytes after a cancellation", .nothingAfterCancel) { limits in
            var late: [Event] = []
            return BrokenServer(limits) { event, server in
                if case .cancelled = event {
                    late.append(event)
                    return []
                }
                var effects = server.handle(event)
                if late.count > 1 || effects.isEmpty, !late.isEmpty {
                    effects += server.handle(late.removeFirst())
                }
                return effects
            }
        },
        Flaw(
            "catches a cancellation of what asks for the same, instead of the request",
            .ends,
            .nothingAfterCancel
        ) { limits in
            var asked: [LoadingRequestServer.Request] = []
            return BrokenServer(limits) { event, server in
                var event = event
                if case .requested(let request) = event { asked.append(request) }
                if case .cancelled(let id) = event,
                    let bytes = asked.first(where: { $0.id == id })?.bytes,
                    let other = asked.last(where: { $0.bytes?.offset == bytes.offset })
                {
                    event = .cancelled(other.id)
                }
                return server.handle(event)
            }
        },
        Flaw("catches readings that stay open after a cancellation", .dropsReadings) { limits in
            .replacing(limits) { effect in
                if case .drop = effect { [] } else { [effect] }
            }
        },
        Flaw("catches leftovers of an asset that has gone", .leavesNothing) { limits in
            .told(limits) { event in
                if case .abandoned = event { [] } else { [event] }
            }
        },
    ]
}
