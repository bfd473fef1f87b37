// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirHTTP
package import WeirSource

/// A service as a storage: its files are byte sources over WeirHTTP's transfer.
package final class CloudStorage: MediaStorage {
    /// The service.
    package let service: any CloudService

    private let options: HTTPOrigin.Options
    private let transport: any HTTPTransport
    private let clock: any Clock<Duration>
    private let observer: SourceObserver?

    /// A storage over a transport.
    ///
    /// - Parameters:
    ///   - service: how the service speaks.
    ///   - options: time-outs and repetitions of the transfer; of the headers only `User-Agent` is sent.
    ///   - transport: the line to it.
    ///   - clock: measures the life of links.
    ///   - observer: is told of requests, bytes and fresh links.
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

    /// As the service calls it.
    package func displayName(of path: FolderPath) -> String { self.service.displayName(of: path) }

    /// As the service knows it.
    package func identity(of path: FolderPath) -> String? {
        self.service.identity(of: path.asFile)
    }

    /// As the service says.
    package var credentialScope: CredentialScope { self.service.credentialScope }

    /// As the service describes it.
    package func entry(at path: FolderPath) async throws -> FolderEntry {
        try await self.service.describe(path)
    }

    /// As the service lists it, within the bounds of ``BoundedListing``.
    package func entries(in path: FolderPath) -> FolderPages {
        BoundedListing.bounded(
            self.service.list(path),
            called: self.service.displayName(of: path),
            at: self.service.authority,
            clock: self.clock
        )
    }

    /// An origin whose locations the service names.
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
/// One iteration uses it, one call at a time.
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

    /// All names, where one look at the folder brings them.
    var names: [String] {
        get { self.allNames.withLock { $0 } }
        set { self.allNames.withLock { $0 = newValue } }
    }
}
