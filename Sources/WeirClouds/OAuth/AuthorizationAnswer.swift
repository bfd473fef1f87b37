// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The result that the browser brings back from the service: a code to redeem (RFC 6749 §4.1.2).
public struct AuthorizationAnswer: Hashable, Sendable {
    /// Why a query has no usable code.
    enum Failure: Error, Hashable {
        /// The state is not the request's: the answer belongs to another request, or is forged.
        case wrongState
        /// There is no code, or there are several.
        case noCode
        /// The service refused, with its own explanation.
        case refused(error: String, explanation: String?)
    }

    /// The code, valid for one use within minutes.
    ///
    /// Never log it.
    public let code: String

    /// Creates an answer from a code that the user has typed.
    public init(code: String) {
        self.code = code
    }

    /// Reads the query of the address to which the service sent the browser.
    ///
    /// - Parameters:
    ///   - query: the text after the question mark.
    ///   - state: the state of the request.
    /// - Throws: ``/WeirSource/SourceError`` with `unauthorized` if the service refused, with
    ///   `badAnswer` if the state is wrong or there is no code.
    public init(query: String, state: String) throws {
        do throws(Failure) {
            try self.init(reading: query, state: state)
        } catch {
            throw error.sourceError
        }
    }

    init(reading query: some StringProtocol, state: String) throws(Failure) {
        let pairs = FormBody.pairs(in: query)
        func only(_ name: String) -> String? {
            let values = pairs.filter { $0.name == name }
            // RFC 6749 §3.1: a parameter must not occur twice.
            return values.count == 1 && !values[0].value.isEmpty ? values[0].value : nil
        }
        guard let given = only("state"), Self.isSame(given, state) else { throw .wrongState }
        if let error = only("error") {
            throw .refused(error: error, explanation: only("error_description"))
        }
        guard let code = only("code") else { throw .noCode }
        self.code = code
    }

    /// Compares in constant time, so that the time does not reveal how many characters match.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(left.utf8, right.utf8) { difference |= left ^ right }
        return difference == 0
    }
}

extension AuthorizationAnswer.Failure {
    /// The failure as an error with a message.
    var sourceError: SourceError {
        switch self {
        case .wrongState:
            SourceError(
                .badAnswer,
                "The browser's answer belongs to another log-in; start the log-in again and use the newest page."
            )
        case .noCode:
            SourceError(
                .badAnswer,
                "The browser's answer has no code; start the log-in again."
            )
        case .refused("access_denied", _):
            SourceError(
                .unauthorized,
                "The access was denied in the browser; log in again and allow it."
            )
        case .refused(let error, let explanation):
            SourceError(
                .unauthorized,
                "The service refused the log-in"
                    + " (\((explanation ?? error).shownOnOneLine())); log in again."
            )
        }
    }
}

extension AuthorizationAnswer: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// A text without the code, for logs.
    public var description: String { "AuthorizationAnswer(hidden)" }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
