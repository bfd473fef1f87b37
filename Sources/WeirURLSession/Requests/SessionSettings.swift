// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// What every session of a transport is set to, whatever its configuration said.
enum SessionSettings {
    /// Longer than anybody waits; in seconds.
    ///
    /// A week: FoundationNetworking counts it in milliseconds of a timer.
    static let patience: TimeInterval = 604_800

    /// A copy of a configuration with the settings that the transport depends on.
    static func configuration(
        copying template: URLSessionConfiguration?,
        _ options: URLSessionTransport.Options
    ) -> URLSessionConfiguration {
        let configuration =
            template?.copy() as? URLSessionConfiguration ?? URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = Self.patience
        configuration.timeoutIntervalForResource = Self.patience * 52
        configuration.httpMaximumConnectionsPerHost = max(1, options.connectionsPerHost)
        guard template == nil else { return configuration }
        configuration.allowsCellularAccess = options.allowsCellularAccess
        #if !canImport(FoundationNetworking)
        configuration.allowsExpensiveNetworkAccess = options.allowsExpensiveNetworkAccess
        configuration.allowsConstrainedNetworkAccess = options.allowsConstrainedNetworkAccess
        configuration.waitsForConnectivity = options.waitsForConnectivity
        #endif
        return configuration
    }
}
