// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirTestServers

@Suite("Requests that no client should send")
struct StrictnessTests {
    private func request(_ fields: [HeaderField], method: String = "GET") -> ServerRequest {
        ServerRequest(
            method: method,
            target: "/v1/disk",
            fields: [
                HeaderField("Host", Disk.authority(of: .api)),
                HeaderField("Authorization", "OAuth \(Disk.token)"),
            ] + fields
        )
    }

    @Test(
        "a duplicate header field is refused",
        arguments: ["Host", "authorization", "Accept", "Range"]
    )
    func doubled(_ name: String) {
        var disk = Disk()
        let answer = disk.ask(.api, self.request([HeaderField(name, "a"), HeaderField(name, "a")]))
        #expect(answer.status == 400)
        #expect(answer.violation?.contains("times") == true)
    }

    @Test("a missing or wrong Host is refused")
    func host() {
        var disk = Disk()
        #expect(disk.ask(.api, ServerRequest(method: "GET", target: "/v1/disk")).violation != nil)
        let other = ServerRequest(
            method: "GET",
            target: "/v1/disk",
            fields: [HeaderField("Host", "localhost")]
        )
        #expect(disk.ask(.api, other).violation == "Host is localhost, not 127.0.0.1:3000.")
    }

    @Test("another method is refused, everywhere", arguments: ServiceHost.allCases)
    func method(_ host: ServiceHost) {
        var disk = Disk()
        let answer = disk.ask(host, "/", method: "PUT")
        #expect(answer.status == 400)
        #expect(answer.violation != nil)
    }

    @Test("a GET with a body, and an Accept that excludes JSON, are refused")
    func odd() {
        var disk = Disk()
        #expect(disk.ask(.api, "/v1/disk", body: "x").violation != nil)
        #expect(disk.ask(.api, self.request([HeaderField("Accept", "text/html")])).violation != nil)
        let json = HeaderField("Accept", "text/html, application/json;q=0.5")
        #expect(disk.ask(.api, self.request([json])).status == 200)
    }

    @Test("a wrong request uses up no fault")
    func faultsStay() {
        var disk = Disk(.once(.rateLimited))
        _ = disk.api("/resources?path=disk:/&colour=red")
        #expect(disk.api("").status == 429)
        #expect(disk.api("").status == 200)
    }
}
