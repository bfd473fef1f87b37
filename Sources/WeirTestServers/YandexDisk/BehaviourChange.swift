// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A change of some switches; a switch that is not named stays.
struct BehaviourChange: Sendable, Codable {
    var linkLife: Double?
    var tokenLife: Double?
    var codeLife: Double?
    var expiry: Behaviour.Expiry?
    var cutsBodiesAtExpiry: Bool?
    var linksFollowChanges: Bool?
    var sendsMultipart: Bool?
    var faults: [Fault]?

    private static let names = [
        "linkLife", "tokenLife", "codeLife", "expiry", "cutsBodiesAtExpiry", "linksFollowChanges",
        "sendsMultipart", "faults",
    ]

    /// Reads a JSON object.
    ///
    /// - Throws: ``ServerError`` with a sentence, also for a switch that does not exist.
    init(json: [UInt8]) throws(ServerError) {
        let names = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: Any]
        guard let names else { throw .violation("The body is not a JSON object.") }
        if let unknown = names.keys.sorted().first(where: { !Self.names.contains($0) }) {
            throw .violation("There is no switch \(unknown); there are \(Self.names).")
        }
        do {
            self = try JSONDecoder().decode(BehaviourChange.self, from: Data(json))
        } catch DecodingError.dataCorrupted(let context) {
            throw .violation(context.debugDescription)
        } catch {
            throw .violation("A switch has a value of the wrong type: \(error).")
        }
    }

    func apply(to behaviour: inout Behaviour) {
        behaviour.linkLife = self.linkLife ?? behaviour.linkLife
        behaviour.tokenLife = self.tokenLife ?? behaviour.tokenLife
        behaviour.codeLife = self.codeLife ?? behaviour.codeLife
        behaviour.expiry = self.expiry ?? behaviour.expiry
        behaviour.cutsBodiesAtExpiry = self.cutsBodiesAtExpiry ?? behaviour.cutsBodiesAtExpiry
        behaviour.linksFollowChanges = self.linksFollowChanges ?? behaviour.linksFollowChanges
        behaviour.sendsMultipart = self.sendsMultipart ?? behaviour.sendsMultipart
        behaviour.faults = self.faults ?? behaviour.faults
    }
}
