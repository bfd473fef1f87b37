// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirClouds

extension SessionModel {
    /// The addresses of a disk: at Yandex, or at a test's server.
    public struct Service: Sendable {
        /// The address of the API; `nil` for Yandex's API.
        public var api: URL?
        /// The addresses where users agree, and where the service issues tokens.
        public var endpoints: OAuthEndpoints

        /// Creates the addresses; by default they are the addresses of Yandex.
        public init(api: URL? = nil, endpoints: OAuthEndpoints = .yandex) {
            self.api = api
            self.endpoints = endpoints
        }
    }
}
