// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// What tests read and write while a server runs.
extension YandexDiskServer {
    /// What the REST API's URLs begin with; clients append `/v1/disk/resources` and so on.
    ///
    /// This and the others have port 0 before the start.
    public var apiURL: String { self.state.value.machine.base(of: .api) }

    /// What the authorization server's URLs begin with: `/authorize`, `/token`.
    public var oauthURL: String { self.state.value.machine.base(of: .oauth) }

    /// What links begin with.
    public var linkURL: String { self.state.value.machine.base(of: .link) }

    /// The root of WebDAV, without a slash at the end.
    public var webdavURL: String { self.state.value.machine.base(of: .webdav) }

    /// What the URLs begin with to which links are redirected when a fault says so.
    public var otherURL: String { self.state.value.machine.base(of: .other) }

    /// Where other programs look at the record and set the switches; `nil` if they cannot.
    public var controlURL: String? { self.state.value.controlURL }

    /// The switches.
    ///
    /// Faults that have been used up are not in it any more.
    public var behaviour: Behaviour {
        get { self.state.value.machine.behaviour }
        set { self.state.update { $0.machine.behaviour = newValue } }
    }

    /// Changes switches, without a request in between.
    public func change(_ change: (inout Behaviour) -> Void) {
        self.state.update { change(&$0.machine.behaviour) }
    }

    /// Adds a file, or changes one, or takes one away.
    ///
    /// Links that were given out lead to the old bytes until they expire, unless the switch
    /// ``Behaviour/linksFollowChanges`` says otherwise.
    ///
    /// - Parameters:
    ///   - path: with `disk:/` or without.
    ///   - file: what lies there from now on; `nil` for nothing.
    public func set(_ path: String, _ file: ServedFile?) {
        self.state.update { $0.machine.tree.set(DiskPath(path), file) }
    }

    /// Every request, in the order in which they came.
    public var record: [RecordedRequest] { self.state.value.record }

    /// What clients did wrong, as sentences.
    public var violations: [String] { self.state.value.violations }

    /// Forgets what came, but not what was given out.
    public func clearRecord() {
        self.state.update { $0.clearRecord() }
    }

    /// Returns when the record fulfils a condition, at once if it does already.
    ///
    /// - Parameter isDue: is asked after every change.
    /// - Throws: `CancellationError` when the calling task is cancelled before.
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
