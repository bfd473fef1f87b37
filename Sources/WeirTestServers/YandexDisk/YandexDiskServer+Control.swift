// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirTestKit

/// The requests of other programs: `GET` and `DELETE /_record`, `GET` and `POST /_behaviour`.
extension YandexDiskServer {
    /// The answer to `GET /_record`; the program prints a summary of it at its end.
    private struct Report: Encodable {
        var record: [RecordedRequest]
        var violations: [String]
    }

    var controlService: ServerService {
        .control(now: self.now, answer: { [weak self] in self?.control($0) })
    }

    private func control(_ request: ServerRequest) -> ServerAnswer {
        switch (request.method, request.path) {
        case ("GET", "/_record"):
            let state = self.state.value
            return .encoded(Report(record: state.record, violations: state.violations))
        case ("DELETE", "/_record"):
            self.clearRecord()
            return ServerAnswer(status: 204)
        case ("GET", "/_behaviour"): return .encoded(self.behaviour)
        case ("POST", "/_behaviour"):
            do {
                let change = try BehaviourChange(json: request.body)
                return .encoded(
                    self.state.update { state in
                        change.apply(to: &state.machine.behaviour)
                        return state.machine.behaviour
                    }
                )
            } catch {
                return .text(400, "text/plain", (error.violation ?? "") + "\n")
            }
        default:
            return .text(
                404,
                "text/plain",
                "There are GET and DELETE /_record, GET and POST /_behaviour.\n"
            )
        }
    }
}

/// The edge between the machine and its sockets.
extension YandexDiskServer {
    func service(of host: ServiceHost) -> ServerService {
        let (state, now) = (self.state, self.now)
        return ServerService(
            answer: { request in
                let time = now()
                return state.update { $0.answer(request, at: host, now: time) }
            },
            bytesLeft: { number, count in
                state.update { $0.change(number) { $0.bodyBytesSent += count } }
            },
            ended: { number in state.update { $0.change(number) { $0.hasEnded = true } } },
            garbageCame: { problem in
                state.update { $0.garbage.append("\(host.rawValue): \(problem)") }
            },
            now: now
        )
    }
}

extension YandexDiskServer.State {
    fileprivate mutating func answer(
        _ request: ServerRequest,
        at host: ServiceHost,
        now: Double
    ) -> (number: Int, answer: ServerAnswer) {
        let needsTree = [.api, .webdav].contains(host) || self.machine.behaviour.linksFollowChanges
        if needsTree { self.folder?.refresh(&self.machine.tree) }
        let answer = self.machine.answer(request, at: host, now: now)
        self.record.append(
            RecordedRequest(
                server: host.rawValue,
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
