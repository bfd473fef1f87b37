// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAVFoundation

extension SimulatedPlayer {
    /// What a player does to the loader of one of its assets.
    public enum Action: Hashable, Sendable {
        /// Makes a request.
        case request(LoadingRequestServer.Request, asset: Int)
        /// Cancels one.
        case cancel(LoadingRequestServer.RequestID, asset: Int)
        /// Lets go of bytes that it has been given for a request, this many.
        case release(LoadingRequestServer.RequestID, Int, asset: Int)
        /// Forgets an asset: nothing more is asked of it.
        case abandon(asset: Int)

        /// The asset whose loader is meant.
        public var asset: Int {
            switch self {
            case .request(_, let asset), .cancel(_, let asset), .release(_, _, let asset),
                .abandon(let asset):
                asset
            }
        }
    }

    /// What is wrong with a source, and so a reason for a request to fail.
    public enum Trouble: Hashable, Sendable {
        /// It fails to open or to bring bytes.
        case fails
        /// It has another version.
        case changed
        /// It ends before the length that it announced.
        case endsEarly
    }
}
