// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirTestServers

@Suite("The answers of a station")
struct RadioMachineTests {
    private func machine(_ behaviours: String..., programme: RadioProgramme? = nil) -> RadioMachine
    {
        let usual = RadioProgramme([RadioFile(.pattern(length: 1_000))], titles: [])
        var machine = RadioMachine(
            programme ?? usual,
            behaviours.compactMap { RadioBehaviour($0) }
        )
        machine.authority = "127.0.0.1:8000"
        return machine
    }

    private func request(_ target: String, isPlayer: Bool = true) -> ServerRequest {
        ServerRequest(
            method: "GET",
            target: target,
            fields: isPlayer ? [HeaderField("Icy-MetaData", "1")] : []
        )
    }

    private func text(_ answer: RadioAnswer) -> String {
        String(decoding: answer.head, as: UTF8.self)
    }

    @Test("uses one behaviour for each connection, and then repeats the last")
    func sequence() {
        var machine = self.machine("status=404", "page*2", "plain")
        let answers = (0..<6).map { _ in machine.answer(self.request("/"), now: 0) }
        #expect(answers.map(\.status) == [404, 200, 200, 200, 200, 200])
        #expect(answers.map { $0.sending == nil } == [true, true, true, false, false, false])
        // Requests for playlists and for missing paths use up no behaviour.
        machine.behaviours = [RadioBehaviour(.status(404)), RadioBehaviour()]
        #expect(machine.answer(self.request("/listen.pls"), now: 0).status == 200)
        #expect(machine.answer(self.request("/missing"), now: 0).status == 404)
        #expect(machine.answer(self.request("/any/path;x"), now: 0).status == 404)
        #expect(machine.answer(self.request("/any/path;x"), now: 0).sending != nil)
    }

    @Test("writes its header in the form that the behaviour names")
    func heads() {
        var machine = self.machine("icy+lf+tight", "chunked+loose", "http11", "plain", "latin1")
        let icy = self.text(machine.answer(self.request("/"), now: 0))
        #expect(icy.hasPrefix("ICY 200 OK\nContent-Type:audio/mpeg\nicy-name:Weir Test Radio\n"))
        #expect(icy.hasSuffix("\nicy-metaint:8192\nConnection:close\n\n"))
        #expect(!icy.contains("\r"))
        let chunked = self.text(machine.answer(self.request("/"), now: 0))
        #expect(chunked.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type : audio/mpeg\r\n"))
        #expect(chunked.contains("Transfer-Encoding : chunked\r\n"))
        #expect(
            self.text(machine.answer(self.request("/"), now: 0)).hasPrefix("HTTP/1.1 200 OK\r\n")
        )
        let plain = self.text(machine.answer(self.request("/", isPlayer: false), now: 0))
        #expect(plain.hasPrefix("HTTP/1.0 200 OK\r\n"))
        #expect(!plain.contains("icy-metaint"))
    }

    @Test("gives out tokens that expire after a time and after a number of uses")
    func tokens() {
        var machine = self.machine("redirect=5/2+icy", "redirect")
        let first = machine.answer(self.request("/"), now: 100)
        #expect(first.status == 302)
        #expect(self.text(first).contains("Location: http://127.0.0.1:8000/token/1\r\n"))
        let stream = machine.answer(self.request("/token/1"), now: 104)
        #expect(self.text(stream).hasPrefix("ICY 200 OK\r\n"))
        #expect(machine.answer(self.request("/token/1"), now: 105).status == 403)
        #expect(machine.answer(self.request("/token/1"), now: 104).status == 200)
        #expect(machine.answer(self.request("/token/1"), now: 104).status == 403)
        #expect(machine.answer(self.request("/token/2"), now: 104).status == 403)
        _ = machine.answer(self.request("/"), now: 104)
        #expect(machine.answer(self.request("/token/2"), now: 1e9).status == 200)
    }

    @Test("sends half a header on demand, and names the wait with a refusal")
    func refusals() {
        var machine = self.machine("half-head", "status=503/20", "status=410")
        let half = machine.answer(self.request("/"), now: 0)
        #expect(half.sending == nil && !self.text(half).contains("\r\n\r\n"))
        let busy = self.text(machine.answer(self.request("/"), now: 0))
        #expect(busy.hasPrefix("HTTP/1.0 503 ") && busy.contains("Retry-After: 20\r\n"))
        #expect(machine.answer(self.request("/"), now: 0).status == 410)
    }

    @Test("has playlists of its entries")
    func playlists() {
        let programme = RadioProgramme(
            [RadioFile(.pattern(length: 10))],
            entries: ["/missing", "/stream", "http://other.example/x"]
        )
        var machine = self.machine(programme: programme)
        let pls = self.text(machine.answer(self.request("/listen.pls"), now: 0))
        #expect(
            pls.contains(
                "\r\n\r\n[playlist]\nNumberOfEntries=3\nFile1=http://127.0.0.1:8000/missing\n"
            )
        )
        #expect(pls.contains("\nFile3=http://other.example/x\n"))
        let m3u = self.text(machine.answer(self.request("/listen.m3u?a"), now: 0))
        #expect(m3u.contains("\nmissing\n") && m3u.contains("\nstream\n"))
        #expect(m3u.hasSuffix("\nhttp://other.example/x\n"))
    }

    @Test("starts at the beginning, where the last connection ended, or at the current place")
    func starts() {
        for (start, expected) in [(RadioStart.beginning, 0), (.following, 777), (.live, 4_000)] {
            let programme = RadioProgramme(
                [RadioFile(.pattern(length: 1_000))],
                pace: RadioPace(bytesPerSecond: 100, burst: 1_000),
                start: start
            )
            var machine = self.machine("plain", programme: programme)
            machine.began = 50
            machine.followed = 777
            let answer = machine.answer(self.request("/"), now: 100)
            #expect(answer.sending?.feed.start == Int64(expected))
        }
    }
}
