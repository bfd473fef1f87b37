// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import Weir
package import WeirLive
package import WeirProxy
package import WeirSource

/// What a console shows: a library, and what a program serves of it.
package struct ConsoleSubject: Sendable {
    /// What a source is, as far as that is known.
    package struct Identity: Hashable, Sendable {
        /// The identifier of a cached resource.
        package var resource: String?
        /// The name of a station.
        package var station: String?

        /// Says what a source is.
        package init(resource: String? = nil, station: String? = nil) {
            self.resource = resource
            self.station = station
        }
    }

    /// The library.
    package let library: MediaLibrary
    /// What is served, but for the stations.
    package let places: @Sendable () -> [ConsoleState.Place]
    /// The stations that are served.
    package let stations: @Sendable () -> [ShownStation]
    /// The answers that are on their way.
    package let responses: @Sendable () async -> [ActiveResponse]
    /// What a source is.
    package let identify: @Sendable (any ByteSource) -> Identity
    /// The path of a cached resource, secret and all, for a player; `nil` where nothing that is served has it.
    package let path: @Sendable (CachedResource) async -> String?
    /// A cached resource as a medium that can be fetched; `nil` where nothing that is served has it.
    package let media: @Sendable (CachedResource) async -> Media?
    /// Why the cache can keep nothing, if that is so: a sentence.
    package let trouble: @Sendable () -> String?

    /// Describes what is shown.
    package init(
        library: MediaLibrary,
        places: @escaping @Sendable () -> [ConsoleState.Place],
        stations: @escaping @Sendable () -> [ShownStation],
        responses: @escaping @Sendable () async -> [ActiveResponse],
        identify: @escaping @Sendable (any ByteSource) -> Identity,
        path: @escaping @Sendable (CachedResource) async -> String?,
        media: @escaping @Sendable (CachedResource) async -> Media?,
        trouble: @escaping @Sendable () -> String?
    ) {
        self.library = library
        self.places = places
        self.stations = stations
        self.responses = responses
        self.identify = identify
        self.path = path
        self.media = media
        self.trouble = trouble
    }
}

/// A station that is served.
package struct ShownStation: Sendable {
    /// What it is called.
    package let name: String
    /// The station.
    package let station: Station
    /// Its path, secret and all, for a player.
    package let path: String

    /// Names a station.
    package init(name: String, station: Station, path: String) {
        self.name = name
        self.station = station
        self.path = path
    }
}
