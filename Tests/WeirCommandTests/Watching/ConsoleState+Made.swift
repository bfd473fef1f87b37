// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import WeirConsole

extension ConsoleState {
    /// A server that has just been started.
    static func made(_ change: (inout ConsoleState) -> Void = { _ in }) -> ConsoleState {
        var state = ConsoleState(
            sequence: 1,
            server: Server(version: "1", started: Date(timeIntervalSince1970: 0)),
            cache: Cache(),
            places: [],
            resources: [],
            stations: [],
            readers: [],
            fetches: [],
            traffic: [],
            events: [],
            counts: Counts()
        )
        change(&state)
        return state
    }
}

extension ConsoleState.Resource {
    /// A resource with this number.
    static func made(
        _ id: Int,
        name: String? = nil,
        length: Int64? = 100,
        held: Int64 = 50,
        pieces: [[Int64]]? = [[0, 50]],
        pinned: Bool = false
    ) -> ConsoleState.Resource {
        ConsoleState.Resource(
            id: "\(id)",
            name: name,
            source: "https://h.example/\(id).mp3",
            account: "",
            length: length,
            held: held,
            type: "audio/mpeg",
            generation: "1",
            pinned: pinned,
            used: Date(timeIntervalSince1970: 0),
            created: Date(timeIntervalSince1970: 0),
            open: false,
            pieces: pieces.map { ConsoleState.Pieces(held: $0, verified: [], bad: []) }
        )
    }
}

extension ConsoleState.Station {
    /// A station with this name.
    static func made(_ name: String, title: String? = nil) -> ConsoleState.Station {
        ConsoleState.Station(
            name: name,
            state: "live",
            reason: nil,
            title: title,
            type: "audio/mpeg",
            buffered: 59,
            timeShift: 1800,
            listeners: 1,
            reconnects: 0,
            url: "/s/\(name)/stream"
        )
    }
}
