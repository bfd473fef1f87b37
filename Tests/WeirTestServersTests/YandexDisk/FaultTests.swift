// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirTestServers

@Suite("Faults")
struct FaultTests {
    @Test(
        "the API refuses a right request, as often as the fault says",
        arguments: [
            (Fault.once(.tokenRefused), 401, "UnauthorizedError"),
            (.once(.rateLimited), 429, "TooManyRequestsError"),
            (.once(.downloadLimit), 429, "DiskResourceDownloadLimitExceededError"),
            (.once(.forbidden), 403, "ForbiddenError"),
            (.once(.locked), 423, "DiskResourceLockedError"),
            (.once(.unavailable), 503, "Unavailable"),
            (.once(.diskFull), 507, "DiskNoFreeSpaceError"),
        ]
    )
    func refusals(_ fault: Fault, _ status: Int, _ error: String) {
        var disk = Disk(fault)
        let answer = disk.api("/resources?path=disk:/")
        #expect(answer.status == status)
        #expect(answer.text.contains(error))
        #expect(answer.violation == nil)
        #expect(answer.value("retry-after") == nil)
        #expect(disk.api("/resources?path=disk:/").status == 200)
        #expect(disk.machine.behaviour.faults.isEmpty)
    }

    @Test(
        "the link host refuses a right request",
        arguments: [
            (Fault.Name.linkGone, 410), (.linkBroken, 500), (.linkForbidden, 403),
            (.linkUnauthorized, 401), (.linkMissing, 404), (.rateLimited, 429), (.unavailable, 503),
        ]
    )
    func linkRefusals(_ name: Fault.Name, _ status: Int) {
        var disk = Disk(Fault(name, times: 2, at: .link))
        let link = disk.link()
        #expect(disk.open(link).status == status)
        #expect(disk.open(link).value("content-type") == "text/html")
        #expect(disk.open(link).status == 200)
    }

    @Test("Retry-After has the value of the fault")
    func retryAfter() {
        var disk = Disk(Fault(.rateLimited, 3))
        #expect(disk.api("").value("retry-after") == "3")
        #expect(disk.api("").value("retry-after") == "3")
    }

    @Test("media have the requested fault")
    func media() {
        var disk = Disk()
        let link = disk.link()
        func open(_ fault: Fault) -> ServerAnswer {
            disk.machine.behaviour.faults = [fault]
            return disk.open(link, "bytes=10-19")
        }
        #expect(open(.once(.wrongRangeStart, 3)).value("content-range") == "bytes 13-22/1000")
        #expect(open(.once(.wrongRangeStart, .min)).status == 206)
        #expect(open(.once(.wrongRangeTotal, -1)).value("content-range") == "bytes 10-19/999")
        #expect(open(.once(.wrongRangeTotal, .max)).status == 206)
        #expect(open(.once(.unknownRangeTotal)).value("content-range") == "bytes 10-19/*")
        let whole = open(.once(.rangeIgnored))
        #expect(whole.status == 200)
        #expect(whole.body.length == 1000)
        #expect(open(.once(.pageInstead)).value("content-type")?.hasPrefix("text/html") == true)
        #expect(open(.once(.bodyCut, 4)).ending == .cut(after: 4))
        #expect(open(.once(.bodyStalled, 4)).ending == .stalled(after: 4))
        #expect(open(.once(.answerLost)).ending == .lost)
        #expect(open(.once(.slowFirstByte, 50)).delay == 50)
    }

    @Test("a fault of a part waits for a request with a range")
    func waits() {
        var disk = Disk(.once(.rangeIgnored))
        let link = disk.link()
        #expect(disk.open(link).status == 200)
        #expect(disk.open(link, "bytes=0-1").status == 200)
        #expect(disk.open(link, "bytes=0-1").status == 206)
    }

    @Test("the API answers with broken JSON, without a link, or with a link that is not HTTP")
    func documents() {
        var disk = Disk(
            .once(.jsonMalformed),
            .once(.jsonTruncated),
            .once(.noReadyLink),
            .once(.linkOfOtherScheme)
        )
        #expect(disk.api("").text == "{\"name\": <not json>")
        #expect(!disk.api("").text.hasSuffix("}"))
        #expect(!disk.api("/resources?path=disk:/empty").text.contains("\"file\":"))
        #expect(disk.api("/resources?path=disk:/empty").text.contains("\"file\":"))
        #expect(
            disk.api("/resources/download?path=disk:/empty").text.contains("file:///disk/empty")
        )
    }

    @Test("a file changes between one link and the next")
    func changes() {
        var disk = Disk()
        let first = disk.link()
        disk.machine.behaviour.faults = [.once(.fileChanged)]
        let second = disk.link()
        let (old, new) = (disk.open(first), disk.open(second))
        #expect(old.value("etag") != new.value("etag"))
        #expect(old.body.length == new.body.length)
        #expect(zip(old.body.bytes, new.body.bytes).allSatisfy { $0 != $1 })
        #expect(disk.link() == second)
    }

    @Test("a fault at one server leaves the others alone")
    func hosts() {
        var disk = Disk(Fault(.unavailable, at: .webdav))
        #expect(disk.api("").status == 200)
        let fields = ["Authorization": "OAuth \(Disk.token)"]
        #expect(disk.ask(.webdav, "/empty", fields).status == 503)
    }

    @Test(
        "a fault is read back as it was written",
        arguments: [
            Fault(.linkGone), .once(.bodyCut, 1000), Fault(.rateLimited, 3, times: 2, at: .api),
            Fault(.wrongRangeStart, -3), Fault(.unavailable, at: .oauth),
        ]
    )
    func text(_ fault: Fault) {
        #expect(Fault(fault.description) == fault)
    }

    @Test("every fault can be written by its name", arguments: Fault.Name.allCases)
    func names(_ name: Fault.Name) {
        #expect(Fault(name.rawValue) == Fault(name))
        #expect(!name.hosts.isEmpty)
    }

    @Test(
        "text that is not a fault is refused",
        arguments: [
            "", "link", "link-gone*-1", "link-gone*x", "link-gone@api", "body-cut=", "link-gone@",
        ]
    )
    func noFault(_ text: String) {
        #expect(Fault(text) == nil)
    }

    @Test("a change of switches changes only the named switches")
    func switches() throws {
        var behaviour = Behaviour(linkLife: 5)
        let json = #"{"expiry": 500, "faults": ["link-gone*1"], "tokenLife": 7}"#
        try BehaviourChange(json: Array(json.utf8)).apply(to: &behaviour)
        #expect(behaviour.linkLife == 5)
        #expect(behaviour.tokenLife == 7)
        #expect(behaviour.expiry == .broken)
        #expect(behaviour.faults == [.once(.linkGone)])
        for wrong in ["", "[]", #"{"exipry":500}"#, #"{"expiry":404}"#, #"{"faults":["x"]}"#] {
            #expect(throws: ServerError.self) { try BehaviourChange(json: Array(wrong.utf8)) }
        }
    }
}
