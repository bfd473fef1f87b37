// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource
import WeirTestKit

/// Writes down what a source tells its observer.
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
            case .retrying(_, let offset, let delay, let reason):
                self.add("retrying \(offset) after \(delay): \(reason)")
            default:
                self.add("\(event)")
            }
        }
    }

    private func add(_ line: String) {
        self.lines.update { $0.append(line) }
    }
}
