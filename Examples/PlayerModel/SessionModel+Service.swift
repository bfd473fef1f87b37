// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirClouds

extension SessionModel {
    /// The addresses of a disk: those of Yandex, or of a test's server.
    public struct Service: Sendable {
        /// The address of the API; `nil` for the one of Yandex.
        public var api: URL?
        /// The addresses where users agree, and where the service issues tokens.
        public var endpoints: OAuthEndpoints

        /// The addresses of Yandex, unless the caller gives others.
        public init(api: URL? = nil, endpoints: OAuthEndpoints = .yandex) {
            self.api = api
            self.endpoints = endpoints
        }
    }
}
