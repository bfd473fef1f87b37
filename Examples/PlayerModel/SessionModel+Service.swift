// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

extension SessionModel {
    /// Where a disk is spoken to: at Yandex, or at a server of a test.
    public struct Service: Sendable {
        /// Where the API answers.
        public var api: String
        /// Where users agree.
        public var authorization: String
        /// Where tokens are given out.
        public var tokens: String

        /// The addresses of Yandex, unless others are given.
        public init(
            api: String = YandexDisk.api,
            authorization: String = YandexDisk.authorization,
            tokens: String = YandexDisk.tokens
        ) {
            self.api = api
            self.authorization = authorization
            self.tokens = tokens
        }
    }
}
