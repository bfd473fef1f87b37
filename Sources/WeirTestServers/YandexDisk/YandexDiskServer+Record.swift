// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// The calls of tests to a running server.
extension YandexDiskServer {
    /// The start of the REST API's URLs; clients append `/v1/disk/resources` and so on.
    ///
    /// Before the server has started, the port is 0, here and in the other URLs.
    public var apiURL: String { self.state.value.machine.base(of: .api) }

    /// The start of the authorization server's URLs: `/authorize`, `/token`.
    public var oauthURL: String { self.state.value.machine.base(of: .oauth) }

    /// The start of all links.
    public var linkURL: String { self.state.value.machine.base(of: .link) }

    /// The root of WebDAV, without a slash at the end.
    public var webdavURL: String { self.state.value.machine.base(of: .webdav) }

    /// The start of the URLs to which links are redirected by a fault.
    public var otherURL: String { self.state.value.machine.base(of: .other) }

    /// The address at which other programs read the record and set the switches; `nil` if they
    /// cannot.
    public var controlURL: String? { self.state.value.controlURL }

    /// The switches.
    ///
    /// Reading it returns no faults that are used up.
    public var behaviour: Behaviour {
        get { self.state.value.machine.behaviour }
        set { self.state.update { $0.machine.behaviour = newValue } }
    }

    /// Changes switches in one step: no request sees a part of the change.
    public func change(_ change: (inout Behaviour) -> Void) {
        self.state.update { change(&$0.machine.behaviour) }
    }

    /// Adds, replaces or removes a file.
    ///
    /// Existing links lead to the old bytes until they expire, unless the switch
    /// ``Behaviour/linksFollowChanges`` is on.
    ///
    /// - Parameters:
    ///   - path: with or without `disk:/`.
    ///   - file: the new file; `nil` removes the old one.
    public func set(_ path: String, _ file: ServedFile?) {
        self.state.update { $0.machine.tree.set(DiskPath(path), file) }
    }

    /// Every request, in the order of arrival.
    public var record: [RecordedRequest] { self.state.value.record }

    /// The mistakes of clients, as sentences.
    public var violations: [String] { self.state.value.violations }

    /// Clears the record, but keeps the links and tokens that were given out.
    public func clearRecord() {
        self.state.update { $0.clearRecord() }
    }

    /// Returns when the record fulfils a condition, at once if it already does.
    ///
    /// - Parameter isDue: called after every change.
    /// - Throws: `CancellationError` if the calling task is cancelled before.
    public func wait(until isDue: @escaping @Sendable ([RecordedRequest]) -> Bool) async throws {
        try await self.state.wait { isDue($0.record) }
    }
}

extension YandexDiskServer.State {
    var violations: [String] {
        self.record.compactMap { entry in
            entry.violation.map { "\(entry.server): \($0)" }
        } + self.garbage
    }
}
