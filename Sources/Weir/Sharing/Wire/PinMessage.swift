// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A pin on the wire.
struct PinMessage: Codable, Hashable, Sendable {
    private var validator: ValidatorMessage?
    private var length: Int64?

    init(_ pin: ReadDemand.Pin) {
        self.validator = pin.validator.map(ValidatorMessage.init)
        self.length = pin.length
    }

    var pin: ReadDemand.Pin {
        ReadDemand.Pin(validator: self.validator?.validator, length: self.length)
    }
}
