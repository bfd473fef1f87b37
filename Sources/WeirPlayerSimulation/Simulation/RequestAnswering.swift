// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAVFoundation

/// What answers the requests of one asset, as ``WeirAVFoundation/LoadingRequestServer`` does: events in, effects out.
///
/// A test wraps the server to break what it promises.
public protocol RequestAnswering {
    /// Takes in what happened, and says what is to be done.
    mutating func handle(_ event: LoadingRequestServer.Event) -> [LoadingRequestServer.Effect]
    /// How many bytes wait to be handed over.
    var heldCount: Int { get }
    /// How many requests have not ended.
    var requestCount: Int { get }
}

extension LoadingRequestServer: RequestAnswering {}
