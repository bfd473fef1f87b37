// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The grant in a request to the token endpoint.
enum TokenGrant: Sendable {
    case code(CodeRedemption)
    case refresh(String)

    private static let known: Set<String> = [
        "client_id", "client_secret", "code", "code_verifier", "device_id", "device_name",
        "grant_type", "redirect_uri", "refresh_token",
    ]

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - request: the request as received.
    ///   - account: the known application.
    /// - Throws: ``ServerError`` with a sentence, or with the answer of RFC 6749.
    init(_ request: ServerRequest, _ account: YandexDiskAccount) throws(ServerError) {
        guard request.query == nil else { throw .violation("The token endpoint has no arguments.") }
        let type = request.value("content-type")?.lowercased()
        guard type?.prefix(while: { $0 != ";" }) == "application/x-www-form-urlencoded" else {
            throw .violation("The body of a token request is not a form, but \(type ?? "nothing").")
        }
        let arguments = try Arguments(form: request.body, known: Self.known)
        try Self.checkClient(arguments, request, account)
        switch try arguments.required("grant_type") {
        case "authorization_code": self = .code(try CodeRedemption(arguments))
        case "refresh_token": self = .refresh(try arguments.required("refresh_token"))
        case let type:
            throw .answer(
                .oauthError("unsupported_grant_type", "grant_type is unknown"),
                violation: "The grant_type \(type) is unknown."
            )
        }
    }

    /// Checks the client's credentials: in the body, with or without a secret, or with HTTP Basic.
    private static func checkClient(
        _ arguments: Arguments,
        _ request: ServerRequest,
        _ account: YandexDiskAccount
    ) throws(ServerError) {
        var (name, secret) = (arguments["client_id"], arguments["client_secret"])
        if request.value("authorization") != nil {
            guard let credentials = request.basicCredentials else {
                throw .violation("Authorization at the token endpoint is not Basic.")
            }
            guard secret == nil, name == nil || name == credentials.name else {
                throw .violation("The client identifies itself in two ways.")
            }
            (name, secret) = (credentials.name, credentials.password)
        }
        guard let name else { throw .violation("The token request does not identify its client.") }
        guard name == account.clientID, secret == nil || secret == account.clientSecret else {
            throw .answer(
                .oauthError("invalid_client", "Client is unknown or its secret is wrong"),
                violation: "The client \(name) is unknown, or its secret is wrong."
            )
        }
    }
}
