// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// A loading request as a media system hands it out; the only thing that is known of a player.
///
/// Used on the loader's queue alone.
package protocol PlayerRequest: AnyObject {
    /// What is asked for.
    ///
    /// - Parameter id: what to call the request.
    /// - Returns: the request, as it is when it is made.
    func described(as id: LoadingRequestServer.RequestID) -> LoadingRequestServer.Request
    /// Tells the player what the resource is.
    func fill(_ information: ContentInformation)
    /// Hands the player its next bytes.
    ///
    /// - Parameters:
    ///   - bytes: never none.
    ///   - released: to be called once, from any thread, when the player has let go of them.
    func respond(with bytes: ByteMemory, released: @escaping @Sendable () -> Void)
    /// The player has got everything.
    func finish()
    /// The player cannot get everything.
    func finish(with failure: LoadingFailure)
}
