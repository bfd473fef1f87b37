// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension Fault: LosslessStringConvertible {
    /// The written form.
    public var description: String {
        var text = self.name.rawValue
        if let value { text += "=\(value)" }
        if let remaining { text += "*\(remaining)" }
        if let door { text += "@\(door.rawValue)" }
        return text
    }

    /// Reads the written form.
    ///
    /// - Parameter description: as `link-gone`, `body-cut=1000*2` or `rate-limited=3*2@api`.
    public init?(_ description: String) {
        var rest = description[...]
        let door = Self.cut(&rest, at: "@")
        let times = Self.cut(&rest, at: "*")
        let value = Self.cut(&rest, at: "=")
        guard let name = Name(rawValue: String(rest)) else { return nil }
        self.init(name)
        if let door {
            guard let door = Door(rawValue: String(door)), name.doors.contains(door) else {
                return nil
            }
            self.door = door
        }
        if let times {
            guard let times = Int(times), times >= 0 else { return nil }
            self.remaining = times
        }
        if let value {
            guard let value = Int64(value) else { return nil }
            self.value = value
        }
    }

    /// Cuts off what follows the last of a character.
    private static func cut(_ text: inout Substring, at mark: Character) -> Substring? {
        guard let index = text.lastIndex(of: mark) else { return nil }
        defer { text = text[..<index] }
        return text[text.index(after: index)...]
    }
}

extension Fault: Codable {
    /// Reads the written form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let fault = Fault(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\(text) is no fault."
            )
        }
        self = fault
    }

    /// Writes the written form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.description)
    }
}
