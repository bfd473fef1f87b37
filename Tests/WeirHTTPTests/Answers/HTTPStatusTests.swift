// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirHTTP

@Suite("The statuses that all servers send with the same meaning")
struct HTTPStatusTests {
    @Test("are redirects and temporary for an origin, too")
    func origins() throws {
        let resource = ResourceName(try OriginURL("https://h/song.mp3"))
        let headers = HTTPHeaderList(received: [("Location", "/other.mp3")])
        for status in 100..<600 {
            let check = AnswerCheck(resource: resource, range: .from(10))
            var (isRedirect, isTemporary) = (false, false)
            switch check.verdict(on: AnswerHead(status: status, headers: headers)) {
            case .redirect: isRedirect = true
            case .transient: isTemporary = true
            default: break
            }
            #expect(isRedirect == HTTPStatus.isRedirect(status), "status \(status)")
            #expect(isTemporary == HTTPStatus.isTemporary(status), "status \(status)")
        }
    }

    @Test("are temporary if the server is busy")
    func busy() {
        let busy = (100..<600).filter(HTTPStatus.isBusy)
        #expect(busy == [429, 503])
        #expect(busy.allSatisfy(HTTPStatus.isTemporary))
    }
}
