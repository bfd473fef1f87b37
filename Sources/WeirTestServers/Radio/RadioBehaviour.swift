// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a station behaves on one connection.
///
/// Its written form, for command lines and JSON, is the quirks with plus signs between them, as
/// `icy+lf+metaint=255`. A `*` and a number say how many connections in a row have the behaviour.
/// Without quirks the form is `plain`.
public struct RadioBehaviour: Sendable, Hashable {
    /// The deviations from a correct station; of two that exclude each other the last one counts.
    public var quirks: [RadioQuirk]
    /// How many connections in a row have the behaviour; a station's last behaviour applies to all
    /// later ones.
    public var times: Int

    /// Makes a behaviour.
    ///
    /// - Parameters:
    ///   - quirks: the deviations from a correct station.
    ///   - times: how many connections in a row have the behaviour, from 1 on.
    public init(_ quirks: RadioQuirk..., times: Int = 1) {
        self.quirks = quirks
        self.times = max(1, times)
    }

    /// The value of the last quirk of a kind.
    func last<Value>(_ value: (RadioQuirk) -> Value?) -> Value? {
        self.quirks.reversed().lazy.compactMap(value).first
    }

    /// Whether there is a quirk.
    func has(_ quirk: RadioQuirk) -> Bool { self.quirks.contains(quirk) }

    /// The number of bytes between titles; 0 for no titles.
    var metaint: Int {
        self.last { if case .metaint(let count) = $0 { max(0, count) } else { nil } } ?? 8192
    }

    /// How many bytes of garbage come first.
    var garbage: Int64 {
        self.last { if case .garbage(let count) = $0 { max(0, count) } else { nil } } ?? 0
    }

    /// After how many bytes the second file begins.
    var change: Int64? {
        self.last { if case .change(let count) = $0 { max(0, count) } else { nil } }
    }
}

extension RadioBehaviour: LosslessStringConvertible {
    /// The written form.
    public var description: String {
        let quirks = self.quirks.map(\.description).joined(separator: "+")
        let text = quirks.isEmpty ? "plain" : quirks
        return self.times == 1 ? text : "\(text)*\(self.times)"
    }

    /// Reads the written form.
    ///
    /// - Parameter description: as `plain`, `icy+metaint=255` or `page*2`.
    public init?(_ description: String) {
        let parts = description.split(
            separator: "*",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        self.init()
        if parts.count == 2 {
            guard let times = Int(parts[1]), times > 0 else { return nil }
            self.times = times
        }
        guard parts[0] != "plain" else { return }
        for text in parts[0].split(separator: "+", omittingEmptySubsequences: false) {
            guard let quirk = RadioQuirk(String(text)) else { return nil }
            self.quirks.append(quirk)
        }
    }
}

extension RadioBehaviour: Codable {
    /// Reads the written form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let behaviour = RadioBehaviour(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\(text) is not a behaviour."
            )
        }
        self = behaviour
    }

    /// Writes the written form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.description)
    }
}

/// Where a connection joins the sound of a station.
public enum RadioStart: String, Sendable, Hashable, Codable, CaseIterable {
    /// At the first byte, every time.
    case beginning
    /// Where the previous connection ended: no sound is lost in between.
    case following
    /// Where the station is now, at its pace since its start; without a pace, like ``beginning``.
    case live
}
