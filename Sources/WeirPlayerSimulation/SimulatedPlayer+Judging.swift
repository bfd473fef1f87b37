// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAVFoundation
import WeirSource

extension SimulatedPlayer {
    mutating func violate(_ rule: Violation.Rule, _ ask: Ask, _ details: String) {
        let id = ask.request.id.rawValue
        self.violations.append(Violation(rule, "request \(id) at byte \(ask.position) \(details)"))
    }

    /// The request of an answer, if the request may get one.
    mutating func judged(_ id: LoadingRequestServer.RequestID, _ what: String) -> Ask? {
        guard let ask = self.ask(id), ask.isMade else {
            self.violations.append(
                Violation(.nothingUnasked, "\(what) for request \(id.rawValue), which was not made")
            )
            return nil
        }
        if ask.isCancelled {
            self.violate(.nothingAfterCancel, ask, "got \(what) after it was cancelled")
            return nil
        }
        if ask.hasEnded {
            self.violate(.endsOnce, ask, "got \(what) after it had ended")
            return nil
        }
        return ask
    }

    // MARK: Information

    mutating func judge(_ information: ContentInformation, for ask: Ask) {
        if !ask.request.wantsInformation || ask.information != nil {
            self.violate(.informationOnce, ask, "got the information twice")
        }
        if ask.received > 0 {
            self.violate(.informationFirst, ask, "got the information after bytes")
        }
        self.judge(length: information.length, for: ask)
        let medium = self.media[ask.step.asset]
        let names = medium.mediaType.map { UniformType.names(of: $0) } ?? []
        if let type = information.type {
            let allowed = ask.request.allowedTypes ?? []
            if !names.contains(type) || !(allowed.isEmpty || allowed.contains(type.identifier)) {
                self.violate(.typeAllowed, ask, "got the type \(type)")
            }
        } else if !names.isEmpty {
            self.violate(.typeAllowed, ask, "got no type")
        }
    }

    private mutating func judge(length: Int64?, for ask: Ask) {
        let medium = self.media[ask.step.asset]
        guard let length else {
            if medium.announcesLength {
                self.violate(.wholeLength, ask, "got no length")
            }
            return
        }
        let versions = self.assets[ask.step.asset].versions.filter {
            medium.versions[$0].length == length
        }
        if versions.isEmpty {
            self.violate(.wholeLength, ask, "got a length of \(length) bytes")
        } else {
            self.assets[ask.step.asset].versions = versions
        }
    }

    // MARK: Bytes

    mutating func judge(_ bytes: ByteMemory, for ask: Ask) {
        if ask.request.wantsInformation, ask.information == nil {
            self.violate(.informationFirst, ask, "got bytes before the information")
        }
        if bytes.count == 0 || bytes.count > self.largestPiece {
            self.violate(.pieceSize, ask, "got a piece of \(bytes.count) bytes")
        }
        let medium = self.media[ask.step.asset]
        let possible = self.assets[ask.step.asset].versions
        let end = ask.position + Int64(bytes.count)
        let limit = possible.map { self.limit(of: ask, version: $0) }.max() ?? 0
        guard end <= limit else {
            return self.violate(.nothingBeyond, ask, "got bytes up to \(end), not \(limit)")
        }
        let right = possible.filter { medium.versions[$0].matches(bytes, at: ask.position) }
        guard right.isEmpty else {
            self.assets[ask.step.asset].versions = right
            return
        }
        let isOther = medium.versions.contains { $0.matches(bytes, at: ask.position) }
        if isOther {
            self.violate(.oneVersion, ask, "got \(bytes.count) bytes of another version")
        } else {
            self.violate(.rightBytes, ask, "got \(bytes.count) wrong bytes")
        }
    }

    /// The end of the bytes that a request can get.
    private func limit(of ask: Ask, version: Int) -> Int64 {
        ask.request.bytes?.limit(inLength: self.media[ask.step.asset].versions[version].length)
            ?? ask.position
    }

    // MARK: Ends

    mutating func judgeFinish(of ask: Ask) {
        if ask.request.wantsInformation, ask.information == nil {
            self.violate(.informationGiven, ask, "was finished without the information")
        }
        let limits = self.assets[ask.step.asset].versions.map { self.limit(of: ask, version: $0) }
        if let limit = limits.min(), ask.position < limit {
            self.violate(.finishedWhole, ask, "was finished before byte \(limit)")
        }
    }

    mutating func judge(_ failure: LoadingFailure, of ask: Ask) {
        let asset = self.assets[ask.step.asset]
        let isReason =
            switch failure {
            case .source(let error):
                error.code == .changed
                    ? asset.troubles.contains(.changed)
                    : asset.troubles.contains(.fails)
            case .endedEarly:
                asset.troubles.contains(.endsEarly) || asset.troubles.contains(.fails)
            case .typeNotAllowed: !self.takesType(ask)
            case .cancelled: asset.isAbandoned || self.isCrowded(ask.step.asset)
            }
        if !isReason { self.violate(.failsForReason, ask, "failed: \(failure)") }
    }

    private func isCrowded(_ asset: Int) -> Bool {
        self.asks.count { $0.isLive && $0.step.asset == asset } > self.mostRequests
    }

    private func takesType(_ ask: Ask) -> Bool {
        let names = self.media[ask.step.asset].mediaType.map { UniformType.names(of: $0) } ?? []
        guard ask.request.wantsInformation, let allowed = ask.request.allowedTypes,
            !allowed.isEmpty, !names.isEmpty
        else { return true }
        return names.contains { allowed.contains($0.identifier) }
    }
}
