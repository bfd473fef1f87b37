// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirConsole

/// The URL of a source at this user's running servers.
enum ServedPlace {
    /// The source's base URL at the last started server that serves it; `nil` without such a server.
    ///
    /// A path of the source is appended to this URL. Only servers with a page are found.
    static func base(of location: MediaLocation, _ environment: ProgramEnvironment) async -> String?
    {
        for address in PageAddress.all(in: environment.configurationDirectory) {
            guard let client = try? PageClient(address.text, environment) else { continue }
            let state = try? await client.state()
            await client.close()
            if let state, let base = Self.base(of: location, at: address, in: state.places) {
                return base
            }
        }
        return nil
    }

    /// The base URL of a source at one server.
    static func base(
        of location: MediaLocation,
        at address: PageAddress,
        in places: [ConsoleState.Place]
    ) -> String? {
        let place = places.first { $0.name == location.name && $0.source == location.placeDisplay }
        // The place's path ends with the source's base path. The source's name precedes the base path, except for a
        // single origin without a secret.
        guard let place, place.url.hasSuffix(location.basePath), address.url.hasSuffix("/page/")
        else { return nil }
        let server = address.url.dropLast("/page/".count)
        return "\(server)\(place.url.dropLast(location.basePath.count))"
    }
}
