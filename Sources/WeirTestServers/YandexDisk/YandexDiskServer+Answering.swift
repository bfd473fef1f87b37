// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// The edge between the machine and its sockets.
extension YandexDiskServer {
    func service(of door: Door) -> ServerService {
        let (state, now) = (self.state, self.now)
        return ServerService(
            answer: { request in
                let time = now()
                return state.update { $0.answer(request, at: door, now: time) }
            },
            bytesLeft: { number, count in
                state.update { $0.change(number) { $0.bodyBytesSent += count } }
            },
            ended: { number in state.update { $0.change(number) { $0.hasEnded = true } } },
            garbageCame: { problem in
                state.update { $0.garbage.append("\(door.rawValue): \(problem)") }
            },
            now: now
        )
    }
}

extension YandexDiskServer.State {
    fileprivate mutating func answer(
        _ request: ServerRequest,
        at door: Door,
        now: Double
    ) -> (number: Int, answer: ServerAnswer) {
        let needsTree = [.api, .webdav].contains(door) || self.machine.behaviour.linksFollowChanges
        if needsTree { self.folder?.refresh(&self.machine.tree) }
        let answer = self.machine.answer(request, at: door, now: now)
        self.record.append(
            RecordedRequest(
                server: door.rawValue,
                method: request.method,
                target: request.target,
                headers: request.fields,
                time: now,
                status: answer.status,
                violation: answer.violation
            )
        )
        return (self.cleared + self.record.count - 1, answer)
    }

    fileprivate mutating func change(
        _ number: Int,
        _ change: (inout RecordedRequest) -> Void
    ) {
        let index = number - self.cleared
        if self.record.indices.contains(index) { change(&self.record[index]) }
    }

    mutating func clearRecord() {
        self.cleared += self.record.count
        self.record = []
        self.garbage = []
    }
}
