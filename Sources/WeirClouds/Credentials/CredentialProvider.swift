// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Has the current credential of an account.
///
/// Asked before every request, from any number of tasks at once: one refresh is under way at a time.
public protocol CredentialProvider: Sendable {
    /// The credential to use now.
    ///
    /// - Throws: `SourceError` with `unauthorized` where there is none; `CancellationError`.
    func credential() async throws -> Credential

    /// The service refused a credential.
    ///
    /// - Parameter credential: the one that was sent.
    /// - Returns: whether ``credential()`` has another one now; `false` if there is none to be had.
    /// - Throws: `SourceError` with `unauthorized` where the account was logged out; `CancellationError`.
    func refused(_ credential: Credential) async throws -> Bool
}
