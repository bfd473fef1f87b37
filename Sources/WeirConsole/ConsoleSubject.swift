// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import Weir
package import WeirLive
package import WeirProxy
package import WeirSource

/// The content of a console: a library, and the sources that a program serves from it.
package struct ConsoleSubject: Sendable {
    /// The identity of a source, as far as it is known.
    package struct Identity: Hashable, Sendable {
        /// The identifier of a cached resource.
        package var resource: String?
        /// The name of a station.
        package var station: String?

        /// Describes the identity of a source.
        package init(resource: String? = nil, station: String? = nil) {
            self.resource = resource
            self.station = station
        }
    }

    /// The library.
    package let library: MediaLibrary
    /// The served places, without the stations.
    package let places: @Sendable () -> [ConsoleState.Place]
    /// The stations that are served.
    package let stations: @Sendable () -> [ShownStation]
    /// The responses that are being sent.
    package let responses: @Sendable () async -> [ActiveResponse]
    /// The identity of a source.
    package let identify: @Sendable (any ByteSource) -> Identity
    /// The path of a cached resource, with its secret, for a player; `nil` if no served source has it.
    package let path: @Sendable (CachedResource) async -> String?
    /// A cached resource as a medium that can be fetched; `nil` if no served source has it.
    package let media: @Sendable (CachedResource) async -> Media?
    /// Why the cache can keep nothing, as a sentence; `nil` if it can keep bytes.
    package let trouble: @Sendable () -> String?

    /// Describes the content of a console.
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
    /// The name of the station.
    package let name: String
    /// The station.
    package let station: Station
    /// The station's path, with its secret, for a player.
    package let path: String

    /// Describes a served station.
    package init(name: String, station: Station, path: String) {
        self.name = name
        self.station = station
        self.path = path
    }
}
