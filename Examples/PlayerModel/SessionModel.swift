// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import Weir
import WeirClouds

/// The session with Yandex.Disk: whether the user is logged in, and the disk.
@MainActor
@Observable
public final class SessionModel {
    /// The address to which the browser returns; the application's registration at Yandex names the same address.
    public static let redirect = "weir-player://callback"
    /// The scheme of ``redirect``.
    public static let redirectScheme = "weir-player"

    /// The library, which keeps the played files.
    public let library: MediaLibrary
    /// The disk; `nil` while no user is logged in.
    public private(set) var disk: LibraryStorage?
    /// The reason why the last log-in or log-out failed; `nil` if it did not fail.
    public private(set) var message: String?

    private let store: any TokenStore
    private let clientIdentifier: String
    private let service: Service
    private let account = AccountID(service: "yandex", name: "me")

    /// A session over a library; the user is logged in if the store has tokens.
    ///
    /// - Parameters:
    ///   - library: plays and keeps files.
    ///   - store: has the tokens.
    ///   - clientIdentifier: the application, as it is registered at Yandex.
    ///   - service: the addresses of the disk.
    public init(
        library: MediaLibrary,
        store: any TokenStore,
        clientIdentifier: String,
        service: Service = Service()
    ) {
        self.library = library
        self.store = store
        self.clientIdentifier = clientIdentifier
        self.service = service
        self.perform {
            if try store.tokens(of: self.account) != nil { self.disk = try self.open() }
        }
    }

    /// Logs in.
    ///
    /// - Parameter agree: shows the page where the user agrees, and returns the address at which the page ended.
    public func logIn(_ agree: (URL) async throws -> URL) async {
        do {
            let request = AuthorizationRequest(
                at: self.service.endpoints,
                clientIdentifier: self.clientIdentifier,
                redirect: Self.redirect
            )
            let end = try await agree(request.page)
            let answer = try AuthorizationAnswer(end, to: request)
            let tokens = try await self.client().tokens(for: answer, to: request)
            try self.store.save(tokens, of: self.account)
            self.disk = try self.open()
            self.message = nil
        } catch {
            self.message = ErrorSentence.text(of: error)
        }
    }

    /// Logs out: removes the tokens, and everything that the library keeps for the account.
    public func logOut() async {
        do {
            try await self.library.account(self.credential()).removeAll()
            self.disk = nil
            self.message = nil
        } catch {
            self.message = ErrorSentence.text(of: error)
        }
    }

    /// Makes the storage for all files of the disk.
    private func open() throws -> LibraryStorage {
        let credential = try self.credential()
        return self.library.account(credential).storage(
            .yandexDisk(credentials: credential, name: "Yandex.Disk", api: self.service.api)
        )
    }

    private func credential() throws -> OAuthCredential {
        OAuthCredential(account: self.account, store: self.store, client: try self.client())
    }

    private func client() throws -> OAuthClient {
        try OAuthClient(self.service.endpoints, client: self.library.serviceClient)
    }

    private func perform(_ work: () throws -> Void) {
        do {
            try work()
            self.message = nil
        } catch {
            self.message = ErrorSentence.text(of: error)
        }
    }
}
