// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where the identities come from that open an age file.
public enum AgeKeySource: Sendable {
    /// These, each tried in its turn.
    case identities([AgeIdentity])
    /// Somebody who is asked once for each generation of a resource: a licence server.
    ///
    /// What it throws ends the reading.
    case provider(@Sendable (KeyRequest) async throws -> [AgeIdentity])
}
