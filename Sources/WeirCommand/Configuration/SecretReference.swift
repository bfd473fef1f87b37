// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirClouds
import WeirHTTP
import WeirSource

/// Where a token or a password is to be found.
///
/// It is looked for when it is needed: a source that is not used asks for no secret. No text that is
/// made of it shows one.
enum SecretReference: Hashable, Sendable {
    /// In a variable of the environment.
    case environment(String)
    /// On the first line of a file, whose path is absolute.
    case file(String)
    /// In the configuration itself, which only its owner can read then.
    case literal(String)

    /// Where the secret is, as a sentence about its refusal names it.
    var place: String {
        switch self {
        case .environment(let name): name
        case .file(let path): path
        case .literal: "the configuration"
        }
    }

    /// Longer than any token.
    private static let largestSize = 64 * 1024

    /// The secret.
    ///
    /// - Throws: ``CommandError`` that names the variable or the file: with `notFound` for a file that cannot be read,
    ///   else with `usage`.
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

    /// The secret as a token for good.
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
                "The configuration names the file \(path) for a secret, and its first line holds none;"
                    + " write the secret there."
            )
        }
        return text
    }
}

extension SecretReference: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// Where the secret is, and nothing of it.
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

/// A header whose value is in a variable of the environment.
struct EnvironmentHeader: Hashable, Sendable {
    let name: String
    let variable: String

    /// Reads `Name=VARIABLE`; `nil` for anything else.
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
    /// - Throws: ``CommandError`` with `usage` that names the variable.
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
    /// The headers, and those whose values are in the environment.
    ///
    /// - Throws: ``CommandError`` with `usage` that names a variable.
    func adding(
        _ variables: [EnvironmentHeader],
        _ environment: ProgramEnvironment
    ) throws(CommandError) -> HTTPHeaderList {
        var list = self
        for variable in variables { list.append(try variable.header(environment)) }
        return list
    }
}
