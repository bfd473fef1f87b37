// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirConsole

/// Where running servers of this user have a source.
enum ServedPlace {
    /// The URL of a source at the server that was started last of those that serve it, which paths of the source are put
    /// behind; `nil` if no server with a page serves it.
    static func base(of source: MediaSource, _ environment: ProgramEnvironment) async -> String? {
        for address in PageAddress.all(in: environment.configurationDirectory) {
            guard let client = try? PageClient(address.text, environment) else { continue }
            let state = try? await client.state()
            await client.close()
            if let state, let base = Self.base(of: source, at: address, in: state.places) {
                return base
            }
        }
        return nil
    }

    /// The same, of one server.
    static func base(
        of source: MediaSource,
        at address: PageAddress,
        in places: [ConsoleState.Place]
    ) -> String? {
        let place = places.first { $0.name == source.name && $0.source == source.display }
        // The place is the source's base: behind the name or, of a single origin without a secret, alone.
        guard let place, place.url.hasSuffix(source.basePath), address.url.hasSuffix("/page/")
        else { return nil }
        let server = address.url.dropLast("/page/".count)
        return "\(server)\(place.url.dropLast(source.basePath.count))"
    }
}
