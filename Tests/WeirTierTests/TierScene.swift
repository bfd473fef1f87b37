// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirTier

/// An origin, a store, and machines that share the store; an extent has 1,000 bytes.
///
/// The time is a test's clock, or a virtual time.
struct TierScene {
    static let secret = Array("fleet".utf8)
    static let resource = "0123456789abcdef0123456789abcdef"
    static let layout = ExtentLayout(size: 1000)

    let origin: ScriptedSource
    let store: MemoryStore
    /// The clock of a scene without a virtual time.
    let clock = ManualClock()
    private let world: VirtualTime?
    let events = Watched<[TierEvent]>([])
    /// The time of day, in seconds since 1970.
    let now = Watched<Int64>(1_000_000)

    init(
        _ resource: ScriptedResource = ScriptedResource(length: 10_500),
        chunkSize: Int = 300,
        in world: VirtualTime? = nil
    ) {
        self.origin = ScriptedSource(resource, chunkSize: chunkSize)
        self.world = world
        self.store = MemoryStore(world?.clock ?? self.clock)
    }

    /// A machine's tier; its clock may be ahead.
    func tier(secret: [UInt8] = Self.secret, ahead: Int64 = 0) -> Tier {
        Tier(
            store: self.store,
            secret: secret,
            layout: Self.layout,
            clock: self.world?.clock ?? self.clock,
            executor: self.world,
            now: { [now] in now.value + ahead },
            observer: { [events] event in
                if case .tier(let event) = event { events.update { $0.append(event) } }
            }
        )
    }

    /// A source of a machine that knows nothing yet.
    func source(
        _ tier: Tier? = nil,
        freshness: Duration? = .seconds(60)
    ) -> TieredSource {
        TieredSource(
            self.origin,
            resource: Self.resource,
            tier: tier ?? self.tier(),
            freshness: freshness
        )
    }

    /// The origin's current version.
    func generation() throws -> TierGeneration {
        let description = self.origin.resource.resourceDescription
        return try #require(
            TierGeneration(Self.resource, description.validator, length: description.length)
        )
    }

    /// Writes extents and the description as another machine would; without a list, it writes all extents.
    func fill(_ numbers: [Int]? = nil, ahead: Int64 = 0) async throws {
        let resource = self.origin.resource
        let generation = try self.generation()
        let tier = self.tier(ahead: ahead)
        let last = Self.layout.number(of: max(0, resource.length - 1))
        for number in numbers ?? (resource.length == 0 ? [] : Array(0...last)) {
            let range = Self.layout.range(of: number, inLength: resource.length)
            #expect(
                try await tier.write(resource.bytes(in: range), as: number, of: generation)
            )
        }
        #expect(
            try await tier.write(
                resource.resourceDescription,
                heard: tier.timeline.elapsed(),
                of: Self.resource
            )
        )
        self.store.state.update { $0.log = [] }
        self.events.update { $0 = [] }
    }

    /// The key of an extent of the origin's current version.
    func key(_ number: Int) throws -> String {
        TierKey.extent(number, of: try self.generation(), Self.layout)
    }

    /// The bytes of a reading, after a check of their order.
    static func bytes(_ reading: ByteReading) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var position = reading.lowerBound
        for try await chunk in reading {
            #expect(chunk.range.lowerBound == position)
            bytes += try chunk.bytes()
            position = chunk.range.upperBound
        }
        return bytes
    }
}
