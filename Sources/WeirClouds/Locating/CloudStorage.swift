// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirHTTP
package import WeirSource

/// A service as a storage; its files are byte sources that use WeirHTTP's transfer.
package final class CloudStorage: MediaStorage {
    /// The service.
    package let service: any CloudService

    private let options: HTTPOrigin.Options
    private let transport: any HTTPTransport
    private let clock: any Clock<Duration>
    private let observer: SourceObserver?

    /// Creates a storage over a transport.
    ///
    /// - Parameters:
    ///   - service: the service.
    ///   - options: timeouts and retries of the transfer; of the headers only `User-Agent` is sent.
    ///   - transport: sends the requests.
    ///   - clock: measures the lifetime of links.
    ///   - observer: receives requests, bytes and renewed links.
    package init(
        _ service: any CloudService,
        options: HTTPOrigin.Options = HTTPOrigin.Options(),
        transport: any HTTPTransport,
        clock: any Clock<Duration> = ContinuousClock(),
        observer: SourceObserver? = nil
    ) {
        self.service = service
        self.options = options
        self.transport = transport
        self.clock = clock
        self.observer = observer
    }

    /// The service's name for the path.
    package func displayName(of path: FolderPath) -> String { self.service.displayName(of: path) }

    /// The service's identity of the file.
    package func identity(of path: FolderPath) -> String? {
        self.service.identity(of: path.asFile)
    }

    /// The service's scope.
    package var credentialScope: CredentialScope { self.service.credentialScope }

    /// The service's description of the entry.
    package func entry(at path: FolderPath) async throws -> FolderEntry {
        try await self.service.describe(path)
    }

    /// The service's listing, within the limits of ``BoundedListing``.
    package func entries(in path: FolderPath) -> FolderPages {
        BoundedListing.bounded(
            self.service.list(path),
            called: self.service.displayName(of: path),
            at: self.service.authority,
            clock: self.clock
        )
    }

    /// An origin whose locations come from the service.
    package func source(of path: FolderPath) -> any ByteSource {
        HTTPOrigin(
            locator: CloudLocator(
                self.service,
                path: path,
                clock: self.clock,
                observer: self.observer
            ),
            options: self.options,
            transport: self.transport,
            clock: self.clock,
            observer: self.observer
        )
    }
}

/// The state of one listing between its pages.
///
/// Only one iteration uses it, one call at a time.
final class PageState: Sendable {
    private let offset = Mutex<Int?>(0)
    private let name = Mutex<String?>(nil)
    private let allNames = Mutex<[String]>([])

    /// The offset of the next page; `nil` after the last.
    var next: Int? {
        get { self.offset.withLock { $0 } }
        set { self.offset.withLock { $0 = newValue } }
    }

    /// The first name of the last page.
    var firstName: String? {
        get { self.name.withLock { $0 } }
        set { self.name.withLock { $0 = newValue } }
    }

    /// All names of the folder, for a storage that reads them at once.
    var names: [String] {
        get { self.allNames.withLock { $0 } }
        set { self.allNames.withLock { $0 = newValue } }
    }
}
