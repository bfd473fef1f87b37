// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirClouds

extension SessionModel {
    /// Where a disk is spoken to: at Yandex, or at a server of a test.
    public struct Service: Sendable {
        /// Where the API answers; `nil`: at Yandex.
        public var api: URL?
        /// Where users agree, and where tokens are given out.
        public var endpoints: OAuthEndpoints

        /// The addresses of Yandex, unless others are given.
        public init(api: URL? = nil, endpoints: OAuthEndpoints = .yandex) {
            self.api = api
            self.endpoints = endpoints
        }
    }
}
