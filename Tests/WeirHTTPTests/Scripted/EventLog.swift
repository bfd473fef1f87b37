// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource
import WeirTestKit

/// Records the events of a source.
final class EventLog: Sendable {
    let lines = Watched<[String]>([])
    let receivedBytes = Watched(0)

    var observer: SourceObserver {
        { event in
            switch event {
            case .requested(let host, let range):
                self.add("requested \(host) \(range.map { "\($0)" } ?? "whole")")
            case .answered(let host, let status, _):
                self.add("answered \(host) \(status)")
            case .received(let count):
                self.receivedBytes.update { $0 += count }
            case .redirected(let from, let to):
                self.add("redirected \(from) \(to)")
            case .retrying(_, let offset, let delay, let attempt, let reason):
                let count = "\(attempt.number) of \(attempt.limit ?? 0)"
                self.add("retrying \(offset) (\(count)) after \(delay): \(reason)")
            case .silent(let host, let hasAnswered, let time, let limit):
                let what = hasAnswered ? "has sent nothing" : "has not answered"
                let seconds = time.components.seconds
                self.add("\(host) \(what) for \(seconds) s of \(limit.components.seconds) s")
            default:
                self.add("\(event)")
            }
        }
    }

    private func add(_ line: String) {
        self.lines.update { $0.append(line) }
    }
}
