// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayerSimulation
import WeirSource

@testable import WeirAVFoundation

/// A server with shortened names: events in, effects out as lines of a transcript.
struct ServerScene {
    private(set) var server: LoadingRequestServer
    private var positions: [Int: Int64] = [:]
    private let content = SimulatedContent(length: 1 << 30)

    /// Limits in their usual proportions: pieces of 64 to 512 bytes, a window of 2048, a lead of 1024.
    static var limits: LoadingRequestServer.Limits {
        var limits = LoadingRequestServer.Limits()
        limits.largestPiece = 512
        limits.smallestPiece = 64
        limits.head = 64
        limits.window = 2_048
        limits.lead = 1_024
        limits.overtakenWindow = 512
        return limits
    }

    init(_ limits: LoadingRequestServer.Limits = Self.limits) {
        self.server = LoadingRequestServer(limits: limits)
    }

    /// A server that has read the head of a resource; its first reading waits at byte 64 for a request.
    static func begun(
        length: Int64?,
        _ limits: LoadingRequestServer.Limits = Self.limits
    ) -> ServerScene {
        var scene = ServerScene(limits)
        _ = scene.prepared()
        _ = scene.opened(1, length: length)
        _ = scene.arrived(1, 64)
        return scene
    }

    mutating func prepared() -> [String] { self.lines(.prepared) }

    mutating func asks(
        _ id: Int,
        _ offset: Int64,
        _ length: Int64,
        toTheEnd: Bool = false,
        wantsInformation: Bool = false,
        allowed: [String]? = nil
    ) -> [String] {
        self.lines(
            .requested(
                LoadingRequestServer.Request(
                    id: .init(id),
                    wantsInformation: wantsInformation,
                    allowedTypes: allowed,
                    bytes: .init(offset: offset, length: length, toTheEnd: toTheEnd)
                )
            )
        )
    }

    mutating func asksForInformation(_ id: Int) -> [String] {
        self.lines(.requested(.init(id: .init(id), wantsInformation: true, bytes: nil)))
    }

    mutating func cancels(_ id: Int) -> [String] { self.lines(.cancelled(.init(id))) }

    mutating func releases(_ id: Int, _ count: Int) -> [String] {
        self.lines(.released(.init(id), count))
    }

    mutating func opened(
        _ id: Int,
        at offset: Int64 = 0,
        length: Int64?,
        version: String = "a",
        type: MediaType? = .mpegAudio
    ) -> [String] {
        self.positions[id] = offset
        let description = ResourceDescription(
            length: length,
            mediaType: type,
            validator: .revision(version)
        )
        return self.lines(
            .opened(.init(rawValue: id), description, lowerBound: offset)
        )
    }

    mutating func arrived(_ id: Int, _ count: Int) -> [String] {
        let position = self.positions[id] ?? 0
        self.positions[id] = position + Int64(count)
        let bytes = self.content.bytes(from: position, atMost: count)
        return self.lines(.arrived(.init(rawValue: id), bytes))
    }

    mutating func ended(_ id: Int) -> [String] { self.lines(.ended(.init(rawValue: id))) }

    mutating func failed(_ id: Int, _ code: SourceError.Code) -> [String] {
        self.lines(.failed(.init(rawValue: id), SourceError(code, "It failed.")))
    }

    mutating func waited(_ id: Int) -> [String] { self.lines(.waited(.init(rawValue: id))) }

    mutating func heldWhole(_ length: Int64) -> [String] {
        self.lines(.held(Availability(held: RangeSet(0..<length), length: length)))
    }

    mutating func abandoned() -> [String] { self.lines(.abandoned) }

    private mutating func lines(_ event: LoadingRequestServer.Event) -> [String] {
        self.server.handle(event).map(\.line)
    }
}
