// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How what is said about decryption is written.
enum CipherDialect: Sendable {
    /// As options of the command line.
    case options
    /// As keys of the configuration.
    case configuration

    /// The name of a key.
    func name(_ key: CipherChoices.Key) -> String {
        switch self {
        case .options: "--\(key.rawValue)"
        case .configuration: key.rawValue
        }
    }

    /// A key with a value, as it is to be typed.
    func example(_ key: CipherChoices.Key, _ value: String) -> String {
        switch self {
        case .options: "--\(key.rawValue) \(value)"
        case .configuration: "\(key.rawValue) = \"\(value)\""
        }
    }
}
