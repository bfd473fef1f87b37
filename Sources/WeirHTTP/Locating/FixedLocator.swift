// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// One address for good, with the fields that its user gave.
struct FixedLocator: OriginLocator {
    let resource: ResourceName
    private let location: OriginLocation

    init(_ url: OriginURL, headers: HTTPHeaderList) {
        self.resource = ResourceName(url)
        var headers = headers
        if !headers.contains("Authorization"), let user = url.userInfo {
            headers.append("Authorization", user.basicCredentials)
        }
        self.location = OriginLocation(url: url, headers: headers, hidesPath: false)
    }

    func location(for range: RequestedRange, after refused: OriginLocation?) -> OriginLocation {
        self.location
    }
}
