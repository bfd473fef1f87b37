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
        /// Where users agree.
        public var authorization: String
        /// Where tokens are given out.
        public var tokens: String

        /// The addresses of Yandex, unless others are given.
        public init(
            api: URL? = nil,
            authorization: String = YandexDisk.authorization,
            tokens: String = YandexDisk.tokens
        ) {
            self.api = api
            self.authorization = authorization
            self.tokens = tokens
        }
    }
}
