// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Why sound goes another way than before.
public enum RouteChange: String, Hashable, Sendable, CaseIterable {
    /// The system does not say.
    case unknown
    /// Something was plugged in, or connected.
    case newDeviceAvailable
    /// What sound came out of has gone: the headphones were pulled.
    case oldDeviceUnavailable
    /// The application wants sound treated otherwise.
    case categoryChange
    /// The application, or the user, has chosen another way.
    case override
    /// The device woke up.
    case wakeFromSleep
    /// There is no way for what the application wants.
    case noSuitableRoute
    /// The same devices, otherwise arranged.
    case routeConfigurationChange
}
