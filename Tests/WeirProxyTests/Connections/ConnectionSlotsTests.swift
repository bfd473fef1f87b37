// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirTestKit

@testable import WeirProxy

@Suite("The slots of connections, and which connection gives up its slot")
struct ConnectionSlotsTests {
    private typealias ConnectionID = ConnectionSlots.ConnectionID

    private static let near = ClientAddress(ipv4: 0x7F00_0001)
    private static let far = ClientAddress(ipv4: 0xC000_0201)
    private static let other = ClientAddress(ipv4: 0xC000_0202)

    private func table(
        total: Int = 3,
        perAddress: Int = 3,
        reserve: Int = 2
    ) -> ConnectionSlots {
        ConnectionSlots(
            ConnectionSlots.Limits(
                total: total,
                perAddress: perAddress,
                reserve: reserve,
                stallTime: .seconds(2),
                firstRequestTime: .seconds(1)
            )
        )
    }

    private func time(_ seconds: UInt64) -> NIODeadline {
        .uptimeNanoseconds(seconds * 1_000_000_000)
    }

    private func id(_ number: UInt64) -> ConnectionID { ConnectionID(rawValue: number) }

    @Test("a connection that arrives while slots are free gets a slot, and a later one gets none")
    func arrivals() {
        var table = self.table()
        #expect(
            (0..<5).map { _ in table.arrived(from: Self.near).hasSlot } == [
                true, true, true, false, false,
            ]
        )
        #expect(table.count == 5)
    }

    @Test("the connection that has been idle for longest leaves first")
    func idlest() {
        var table = self.table()
        for _ in 0..<4 { _ = table.arrived(from: Self.near) }
        let activities: [ConnectionID: ClientActivity] = [
            self.id(1): .idle(since: self.time(9)), self.id(2): .idle(since: self.time(5)),
            self.id(3): .stalled(since: self.time(1)),
        ]
        let vacancy = table.asked(self.id(4), at: self.time(10)) { activities[$0] ?? .served }
        #expect(vacancy == .idle(self.id(2)))
        table.granted(self.id(4), displacing: self.id(2))
        #expect(table.hasSlot(self.id(4)))
        #expect(!table.contains(self.id(2)))
        #expect(table.left(self.id(2)) == nil, "it was counted once")
    }

    @Test(
        "without an idle connection a client that reads nothing leaves, and a client that reads stays"
    )
    func stalled() {
        var table = self.table()
        for _ in 0..<4 { _ = table.arrived(from: Self.near) }
        func vacancy(at seconds: UInt64) -> ConnectionSlots.Vacancy {
            table.asked(self.id(4), at: self.time(seconds)) { id in
                switch id.rawValue {
                case 1: .served
                case 2: .stalled(since: self.time(9))
                default: .stalled(since: self.time(8))
                }
            }
        }
        #expect(vacancy(at: 9) == .nowhere)
        #expect(vacancy(at: 10) == .stalled(self.id(3)))
        #expect(vacancy(at: 20) == .stalled(self.id(3)))
    }

    @Test("no connection leaves while every client is being served")
    func noClient() {
        var table = self.table()
        for _ in 0..<4 { _ = table.arrived(from: Self.near) }
        #expect(table.asked(self.id(4), at: self.time(1000)) { _ in .served } == .nowhere)
    }

    @Test("of several candidates, a connection of the address with the most slots leaves")
    func fairness() {
        var table = self.table(total: 5, perAddress: 5)
        for address in [Self.near, Self.far, Self.far, Self.far, Self.near] {
            #expect(table.arrived(from: address).hasSlot)
        }
        let newcomer = table.arrived(from: Self.other).id
        // The first connection is idle for longest, but the second client's address has more slots.
        let vacancy = table.asked(newcomer, at: self.time(100)) {
            .idle(since: self.time($0.rawValue))
        }
        #expect(vacancy == .idle(self.id(2)))
    }

    @Test(
        "an address that has its share frees a slot among its own connections, and gets no free slot"
    )
    func share() {
        var table = self.table(total: 4, perAddress: 2)
        #expect(table.arrived(from: Self.far).hasSlot)
        #expect(table.arrived(from: Self.far).hasSlot)
        #expect(table.arrived(from: Self.near).hasSlot)
        let third = table.arrived(from: Self.far)
        #expect(!third.hasSlot)
        let idle: (ConnectionID) -> ClientActivity = { .idle(since: self.time(10 - $0.rawValue)) }
        #expect(table.asked(third.id, at: self.time(20), activity: idle) == .idle(self.id(2)))
        let served: (ConnectionID) -> ClientActivity = { id in
            id == self.id(3) ? .idle(since: self.time(0)) : .served
        }
        #expect(table.asked(third.id, at: self.time(20), activity: served) == .nowhere)
        #expect(table.arrived(from: Self.near).hasSlot, "the share of one is no other's loss")
    }

    @Test("a free slot goes to the first that asked for one, if its address may have it")
    func leaving() {
        var table = self.table(total: 3, perAddress: 2, reserve: 3)
        for address in [Self.far, Self.far, Self.near] { _ = table.arrived(from: address) }
        let ids = [Self.far, Self.near, Self.near].map { table.arrived(from: $0).id }
        #expect(table.asked(ids[0], at: self.time(0)) { _ in .served } == .nowhere)
        #expect(table.asked(ids[2], at: self.time(0)) { _ in .served } == .nowhere)
        #expect(
            table.left(self.id(3)) == ids[2],
            "the first is of an address that has its share, the second has not asked"
        )
        #expect(table.left(self.id(1)) == ids[0])
        #expect(table.left(ids[1]) == nil)
    }

    @Test(
        "a full reserve loses the connections without a request, and then the one that waited longest"
    )
    func reserve() {
        var table = self.table(total: 1, perAddress: 1, reserve: 2)
        let first = table.arrived(from: Self.near)
        let (second, third) = (table.arrived(from: Self.near), table.arrived(from: Self.near))
        #expect([first, second, third].map(\.displaced) == [nil, nil, nil])
        #expect(table.asked(second.id, at: self.time(0)) { _ in .served } == .nowhere)
        let fourth = table.arrived(from: Self.near)
        #expect(fourth.displaced == third.id)
        #expect(table.asked(fourth.id, at: self.time(0)) { _ in .served } == .nowhere)
        #expect(table.arrived(from: Self.near).displaced == second.id)
        #expect(table.count == 3)
    }

    @Test(
        "to free a descriptor, an idle connection is closed, then one without a request, then a stalled one"
    )
    func shedding() {
        var table = self.table(total: 3, perAddress: 3, reserve: 2)
        for _ in 0..<5 { _ = table.arrived(from: Self.near) }
        let activities: [ConnectionID: ClientActivity] = [
            self.id(2): .idle(since: self.time(9)), self.id(3): .stalled(since: self.time(1)),
            self.id(4): .idle(since: self.time(9)),
        ]
        #expect(table.asked(self.id(5), at: self.time(1)) { _ in .served } == .nowhere)
        let shed = (0..<4).map { _ in
            table.shed(at: self.time(10)) { activities[$0] ?? .served }?.rawValue
        }
        #expect(
            shed == [2, 4, 3, nil],
            "a request that waits is not thrown away for another connection"
        )
    }

    @Test("a new connection gets time to send its first request")
    func newcomers() {
        var table = self.table(total: 1, perAddress: 1, reserve: 2)
        for _ in 0..<3 { _ = table.arrived(from: Self.near) }
        let new: (ConnectionID) -> ClientActivity = { .new(since: self.time($0.rawValue)) }
        #expect(table.shed(at: self.time(1), activity: new) == nil)
        #expect(table.asked(self.id(3), at: self.time(1), activity: new) == .nowhere)
        #expect(table.asked(self.id(3), at: self.time(2), activity: new) == .idle(self.id(1)))
        #expect(table.shed(at: self.time(2), activity: new) == self.id(1))
        #expect(table.shed(at: self.time(2), activity: new) == nil)
        #expect(table.shed(at: self.time(3), activity: new) == self.id(2))
    }

    @Test("a connection without a slot whose request is being served is not closed")
    func answeredInReserve() {
        var table = self.table(total: 1, perAddress: 1, reserve: 2)
        for _ in 0..<2 { _ = table.arrived(from: Self.near) }
        #expect(table.shed(at: self.time(100)) { _ in .served } == nil)
    }

    @Test("a random history keeps the limits, and gives no slot twice")
    func history() {
        var random = SeededGenerator(seed: 15)
        let addresses = [Self.near, Self.far, Self.other]
        for _ in 0..<50 {
            let (total, share, reserve) = (
                Int.random(in: 1...6, using: &random), Int.random(in: 1...6, using: &random),
                Int.random(in: 1...4, using: &random)
            )
            var table = self.table(total: total, perAddress: share, reserve: reserve)
            var open: [ConnectionID: ClientAddress] = [:]
            for step in 0..<200 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0, 1:
                    let address = addresses.randomElement(using: &random) ?? Self.near
                    let arrival = table.arrived(from: address)
                    open[arrival.id] = address
                    if let displaced = arrival.displaced { open[displaced] = nil }
                case 2:
                    guard let id = open.keys.sorted().randomElement(using: &random) else {
                        continue
                    }
                    let seed = random.next()
                    let vacancy = table.asked(id, at: self.time(1000)) { other in
                        switch (other.rawValue &* 31 &+ seed) % 4 {
                        case 0: .served
                        case 1: .idle(since: self.time(other.rawValue))
                        case 2: .new(since: self.time(1000 - other.rawValue % 2))
                        default: .stalled(since: self.time(other.rawValue))
                        }
                    }
                    switch vacancy {
                    case .nowhere: break
                    case .free: table.granted(id, displacing: nil)
                    case .idle(let other), .stalled(let other):
                        #expect(table.hasSlot(other))
                        let isNew = (other.rawValue &* 31 &+ seed) % 4 == 2
                        #expect(!isNew || other.rawValue % 2 == 1, "it has just come")
                        table.granted(id, displacing: other)
                        open[other] = nil
                    }
                default:
                    guard let id = open.keys.sorted().randomElement(using: &random) else {
                        continue
                    }
                    open[id] = nil
                    _ = table.left(id)
                }
                let holders = open.keys.filter { table.hasSlot($0) }
                #expect(table.count == open.count, "step \(step), seed \(random.seed)")
                #expect(holders.count <= total)
                #expect(open.count - holders.count <= reserve)
                for address in addresses {
                    #expect(holders.filter { open[$0] == address }.count <= share)
                }
            }
        }
    }
}

@Suite("The activity of a client")
struct ActivityRecordTests {
    @Test("a stored activity is read back, times included")
    func coding() {
        let times = [0, 1, 12_345, NIODeadline.now().uptimeNanoseconds, UInt64.max >> 3]
        for time in times.map({ NIODeadline.uptimeNanoseconds($0) }) {
            for activity: ClientActivity in [
                .idle(since: time), .served, .stalled(since: time), .new(since: time),
            ] {
                #expect(ActivityRecord(activity).activity == activity)
                let record = ActivityRecord(.served)
                record.store(activity)
                #expect(record.activity == activity)
            }
        }
    }
}

@Suite("The address of a client")
struct ClientAddressTests {
    private func address(_ text: String, _ port: Int = 1) throws -> ClientAddress {
        ClientAddress(try SocketAddress(ipAddress: text, port: port))
    }

    @Test("the port does not count, and both forms of an IPv4 address are equal")
    func same() throws {
        #expect(try self.address("192.0.2.1") == self.address("192.0.2.1", 2))
        #expect(try self.address("192.0.2.1") == self.address("::ffff:192.0.2.1"))
        #expect(try self.address("192.0.2.1") != self.address("192.0.2.2"))
        #expect(try self.address("2001:db8::1") != self.address("2001:db8::2"))
        #expect(ClientAddress(nil) == .unknown)
    }

    @Test("the addresses of both ends of a connection have network byte order")
    func bytes() throws {
        func bytes(_ text: String) throws -> [UInt8]? {
            SocketPair.End(try SocketAddress(ipAddress: text, port: 1))?.address
        }
        #expect(try bytes("192.0.2.1")?.suffix(4) == [192, 0, 2, 1])
        #expect(
            try bytes("2001:db8::7") == [0x20, 1, 0xD, 0xB8]
                + [UInt8](repeating: 0, count: 11) + [7]
        )
    }

    @Test(
        "a client has left when its socket is closed or gone; without an answer nothing is known",
        arguments: [
            (.open(user: 7), .open), (.closed, .left), (.absent, .left), (.refused(1), .unknown),
            (.unrelated, .unknown), (.unreadable, .unknown),
        ] as [(SocketDiagnosis.Answer, ClientSocket)]
    )
    func socket(_ answer: SocketDiagnosis.Answer, _ socket: ClientSocket) {
        #expect(ClientSocket(answer) == socket)
    }

    @Test(
        "loopback addresses are distinguished from others",
        arguments: [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true),
            ("128.0.0.1", false), ("::2", false), ("0.0.0.1", false), ("fe80::1", false),
        ]
    )
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try self.address(text).isLoopback == isLoopback)
    }
}
