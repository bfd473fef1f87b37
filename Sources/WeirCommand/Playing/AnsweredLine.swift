// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirLive
import WeirSource

/// A line whose first call was made already: what it answered is handed on, so that no station is called twice.
final class AnsweredLine: StationTransport {
    let display: String
    private let line: any StationTransport
    private let answer: Mutex<StationAnswer?>

    /// A line and the answer to the call that was made.
    init(_ line: any StationTransport, answer: StationAnswer) {
        self.display = line.display
        self.line = line
        self.answer = Mutex(answer)
    }

    func connect(to target: StationTarget) async throws -> StationAnswer {
        let made = self.answer.withLock { answer -> StationAnswer? in
            guard target == .station else { return nil }
            defer { answer = nil }
            return answer
        }
        if let made { return made }
        return try await self.line.connect(to: target)
    }

    /// Ends the call that nobody took over.
    func abandon() {
        let unused = self.answer.withLock { answer -> StationAnswer? in
            defer { answer = nil }
            return answer
        }
        unused?.body.cancel()
    }
}
