// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("The transport of a library's requests")
struct TransportSettingsTests {
    @Test("settings that only SwiftNIO has select it; other settings do not")
    func needs() {
        var settings = MediaLibrary.TransportSettings()
        settings.connectionsPerHost = 4
        settings.connectTimeout = .seconds(3)
        settings.allowsCellularAccess = false
        settings.allowsExpensiveNetworkAccess = false
        settings.allowsConstrainedNetworkAccess = false
        #expect(!settings.needsNIO)
        var withCertificate = settings
        withCertificate.certificatePath = "/etc/ca.pem"
        #expect(withCertificate.needsNIO)
        settings.proxies = ProxySettings.none
        #expect(settings.needsNIO)
    }

    @Test("a certificate file that cannot be read is refused when the library is opened")
    func unreadable() {
        let folder = TemporaryDirectory()
        var configuration = MediaLibrary.Configuration(directory: folder.path)
        configuration.transport.certificatePath = "\(folder.path)/none.pem"
        #expect(throws: SourceError.self) { try MediaLibrary(configuration) }
    }
}
