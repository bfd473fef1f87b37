// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestServers

/// The first line of output.
struct ServerAddresses: Encodable {
    let api: String
    let oauth: String
    let link: String
    let webdav: String
    let other: String
    let control: String?
    let token: String
    let clientID: String

    private enum CodingKeys: String, CodingKey {
        case api
        case oauth
        case link
        case webdav
        case other
        case control
        case token
        case clientID = "client_id"
    }

    init(of server: YandexDiskServer, token: String, clientID: String) {
        self.api = server.apiURL
        self.oauth = server.oauthURL
        self.link = server.linkURL
        self.webdav = server.webdavURL
        self.other = server.otherURL
        self.control = server.controlURL
        self.token = token
        self.clientID = clientID
    }
}
