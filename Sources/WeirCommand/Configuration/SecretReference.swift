// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirClouds
import WeirHTTP
import WeirSource

/// The location of a token or a password.
///
/// Weir reads a secret when it uses the source, so an unused source needs no secret. No text form
/// of this value contains the secret.
enum SecretReference: Hashable, Sendable {
    /// In a variable of the environment.
    case environment(String)
    /// On the first line of a file, whose path is absolute.
    case file(String)
    /// In the configuration itself, which only its owner can read.
    case literal(String)

    /// The location of the secret, for an error about a refused secret.
    var place: String {
        switch self {
        case .environment(let name): name
        case .file(let path): path
        case .literal: "the configuration"
        }
    }

    /// The largest size of a secret's file that is read.
    private static let largestSize = 64 * 1024

    /// Reads the secret.
    ///
    /// - Throws: ``CommandError`` that names the variable or the file: with `notFound` if the file
    ///   cannot be read, else with `usage`.
    func value(_ environment: ProgramEnvironment) throws(CommandError) -> String {
        switch self {
        case .literal(let text): return text
        case .environment(let name):
            guard let value = environment[name] else {
                throw CommandError.usage(
                    "The configuration names the variable \(name) for a secret, and it is not set;"
                        + " set it."
                )
            }
            return value
        case .file(let path): return try Self.firstLine(of: path)
        }
    }

    /// The secret as a token that does not expire.
    ///
    /// - Throws: ``CommandError``, as ``value(_:)``.
    func credential(_ environment: ProgramEnvironment) throws(CommandError) -> FixedCredential {
        FixedCredential(token: try self.value(environment), place: self.place)
    }

    private static func firstLine(of path: String) throws(CommandError) -> String {
        let handle = FileHandle(forReadingAtPath: path)
        defer { try? handle?.close() }
        guard let data = try? handle?.read(upToCount: self.largestSize) else {
            throw CommandError.notFound(
                "The configuration names the file \(path) for a secret, and it cannot be read; check"
                    + " its name and its permissions."
            )
        }
        let line = data.prefix { $0 != 0x0A && $0 != 0x0D }
        let text = String(data: line, encoding: .utf8)?.trimmingCharacters(in: .whitespaces)
        guard let text, !text.isEmpty else {
            throw CommandError.usage(
                "The configuration names the file \(path) for a secret, and its first line is not a secret; write the"
                    + " secret there."
            )
        }
        return text
    }
}

extension SecretReference: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The location of the secret, without the secret.
    var description: String {
        switch self {
        case .environment(let name): "the variable \(name)"
        case .file(let path): "the file \(path)"
        case .literal: "a secret in the configuration"
        }
    }
    /// ``description``.
    var debugDescription: String { self.description }
    /// Only ``description``.
    var customMirror: Mirror { Mirror(self, children: ["place": self.description]) }
}

/// A header with a value from an environment variable.
struct EnvironmentHeader: Hashable, Sendable {
    let name: String
    let variable: String

    /// Reads `Name=VARIABLE`; `nil` for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty,
            (try? HTTPHeader(name: String(parts[0]), value: "")) != nil
        else { return nil }
        self.name = String(parts[0])
        self.variable = String(parts[1])
    }

    /// The header with its value.
    ///
    /// - Throws: ``CommandError`` with `usage`, which names the variable.
    func header(_ environment: ProgramEnvironment) throws(CommandError) -> HTTPHeader {
        guard let value = environment[self.variable] else {
            throw CommandError.usage(
                "The configuration names the variable \(self.variable) for the header \(self.name), and"
                    + " it is not set; set it."
            )
        }
        do throws(SourceError) {
            return try HTTPHeader(name: self.name, value: value).read(in: self.variable)
        } catch {
            throw CommandError.usage(error.message)
        }
    }
}

extension HTTPHeaderList {
    /// The headers, and the headers with values from the environment.
    ///
    /// - Throws: ``CommandError`` with `usage`, which names a variable.
    func adding(
        _ variables: [EnvironmentHeader],
        _ environment: ProgramEnvironment
    ) throws(CommandError) -> HTTPHeaderList {
        var list = self
        for variable in variables { list.append(try variable.header(environment)) }
        return list
    }
}
