// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// An action of a person on the page.
enum ConsoleAction: Hashable, Sendable {
    case play(String)
    case pin(String, Bool)
    case verify(String)
    case export(String)
    /// Fetches the missing bytes of a resource.
    case fetch(String)
    case remove(String)
    case limits(LimitsChange)

    /// A change of the limits; a limit that is not named stays.
    struct LimitsChange: Hashable, Sendable {
        /// In bytes; the inner `nil` means no limit.
        var byteCount: Int64??
        /// In seconds; the inner `nil` means no limit.
        var age: Int64??

        func apply(to limits: inout CacheLimits) {
            if let byteCount { limits.byteCount = byteCount }
            if let age { limits.age = age.map(Duration.seconds) }
        }
    }

    /// The sentence for a resource that is no longer cached.
    static let gone = "The cache no longer has it."

    /// The resource of the action; `nil` for the limits.
    var resource: String? {
        switch self {
        case .play(let id), .pin(let id, _), .verify(let id), .export(let id), .fetch(let id),
            .remove(let id):
            id
        case .limits: nil
        }
    }

    /// The action's text in the list of events; `nil` if the action changes nothing.
    var event: String? {
        switch self {
        case .play, .export, .verify: nil
        case .pin(_, true): "Pinned on the page."
        case .pin(_, false): "Unpinned on the page."
        case .fetch: "The rest was requested on the page."
        case .remove: "Removed on the page."
        case .limits: "The limits of the cache were changed on the page."
        }
    }

    /// Reads an action; `nil` if its name is unknown or an argument is missing.
    ///
    /// - Parameters:
    ///   - name: the name in the path.
    ///   - query: the arguments, percent-encoded.
    init?(_ name: String, query: String?) {
        guard let items = Self.items(of: query ?? "") else { return nil }
        if name == "limits" {
            guard let change = LimitsChange(items) else { return nil }
            self = .limits(change)
            return
        }
        guard let resource = items["resource"]?.lowercased(), resource.utf8.count == 32 else {
            return nil
        }
        switch name {
        case "play": self = .play(resource)
        case "pin": self = .pin(resource, true)
        case "unpin": self = .pin(resource, false)
        case "verify": self = .verify(resource)
        case "export": self = .export(resource)
        case "fetch": self = .fetch(resource)
        case "remove": self = .remove(resource)
        default: return nil
        }
    }
}

extension ConsoleAction {
    /// The names and values of a query, the first of each name; `nil` if the percent-encoding is wrong.
    private static func items(of query: String) -> [String: String]? {
        var items: [String: String] = [:]
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = String(pair[0]).removingPercentEncoding,
                let value = pair.count > 1 ? String(pair[1]).removingPercentEncoding : ""
            else { return nil }
            items[name] = items[name] ?? value
        }
        return items
    }
}

extension ConsoleAction.LimitsChange {
    /// Reads limits; `nil` if there is none, a name is unknown, or a value is not a number.
    fileprivate init?(_ items: [String: String]) {
        for (name, value) in items {
            let limit: Int64?
            if value == "none" {
                limit = nil
            } else {
                guard let number = Int64(value), number >= 0 else { return nil }
                limit = number
            }
            switch name {
            case "bytes": self.byteCount = .some(limit)
            case "age": self.age = .some(limit)
            default: return nil
            }
        }
        guard self.byteCount != nil || self.age != nil else { return nil }
    }
}
