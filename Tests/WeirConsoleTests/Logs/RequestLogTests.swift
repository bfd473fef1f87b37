// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@testable import WeirConsole

@Suite("The log of requests")
struct RequestLogTests {
    private let lines = Watched<[String]>([])

    private var log: RequestLog {
        RequestLog(
            Logger(label: "weir") { [lines] _ in
                LineLogHandler(
                    .text,
                    now: { Date(timeIntervalSince1970: 0) },
                    write: { line in
                        lines.update {
                            $0.append(String(line.dropFirst("1970-01-01T00:00:00.000Z ".count)))
                        }
                    }
                )
            }
        )
    }

    private static func record(
        _ status: Int?,
        failure: String? = nil,
        isAborted: Bool = false
    ) -> ProxyRequestRecord {
        ProxyRequestRecord(
            method: "GET",
            target: "/a",
            range: nil,
            status: status,
            sentByteCount: 1,
            nanoseconds: 5,
            isAborted: isAborted,
            failure: failure,
            id: ConnectionRequestID(connection: 12, request: 3),
            content: .held,
            firstByteNanoseconds: 1
        )
    }

    @Test("a request has its number, and the level of its outcome")
    func requests() {
        self.log.log(Self.record(200), as: "GET /a")
        self.log.log(Self.record(404), as: "GET /b")
        self.log.log(Self.record(502, failure: "Nobody answers."), as: "GET /c")
        self.log.log(Self.record(200, failure: "It ended.", isAborted: true), as: "GET /d")
        self.log.log(Self.record(200, isAborted: true), as: "GET /e")
        #expect(
            self.lines.value == [
                "info    12-3 GET /a",
                "notice  12-3 GET /b",
                "error   12-3 GET /c reason=Nobody answers.",
                "error   12-3 GET /d reason=It ended.",
                "info    12-3 GET /e",
            ]
        )
    }

    @Test("an event during a request has the request's number, and another event has none")
    func causes() async {
        let log = self.log
        let request = ClientRequest(ConnectionRequestID(connection: 7, request: 8), from: .program)
        await ClientRequest.$current.withValue(request) {
            log.log("Asks example.org", isTrouble: false)
            await Task { log.log("Asks again", isTrouble: true) }.value
        }
        log.log("Fills", isTrouble: false)
        await Task.detached { log.log("Detached", isTrouble: false) }.value
        #expect(
            self.lines.value == [
                "info    7-8 Asks example.org", "warning 7-8 Asks again", "info    Fills",
                "info    Detached",
            ]
        )
    }
}
