// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayerSimulation
import WeirSource

@testable import WeirAVFoundation

extension Flaw {
    static let information: [Flaw] = [
        Flaw("catches information that comes after the first byte", .informationFirst) { limits in
            var late: [RequestID: ContentInformation] = [:]
            return .replacing(limits) { effect in
                switch effect {
                case .fill(let id, let information):
                    late[id] = information
                    return []
                case .respond(let id, _), .finish(let id):
                    guard let information = late.removeValue(forKey: id) else { return [effect] }
                    if case .finish = effect { return [.fill(id, information), effect] }
                    return [effect, .fill(id, information)]
                default: return [effect]
                }
            }
        },
        Flaw("catches information that is missing", .informationGiven) { limits in
            .replacing(limits) { effect in
                if case .fill = effect { [] } else { [effect] }
            }
        },
        Flaw("catches information that comes twice", .informationOnce) { limits in
            .replacing(limits) { effect in
                if case .fill = effect { [effect, effect] } else { [effect] }
            }
        },
        Flaw("catches the length of a two-byte answer instead of the whole", .wholeLength) {
            limits in
            .replacing(limits) { effect in
                guard case .fill(let id, var information) = effect, information.length != nil
                else { return [effect] }
                information.length = 2
                return [.fill(id, information)]
            }
        },
        Flaw("catches a type that the player does not take", .typeAllowed) { limits in
            var names: [UniformType] = []
            return BrokenServer(limits) { event, server in
                if case .opened(_, let description, _) = event {
                    names = description.mediaType.map { UniformType.names(of: $0) } ?? []
                }
                return server.handle(event).map { effect in
                    guard case .fill(let id, var information) = effect else { return effect }
                    information.type = names.first
                    return .fill(id, information)
                }
            }
        },
        Flaw("catches a type that is not the content's", .typeAllowed) { limits in
            .replacing(limits) { effect in
                guard case .fill(let id, var information) = effect else { return [effect] }
                information.type = UniformType(identifier: "public.data")
                return [.fill(id, information)]
            }
        },
    ]
}
