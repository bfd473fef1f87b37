// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Values of the configuration that stand for options of the command line, under the same names.
///
/// The command line wins, then the environment, then these.
struct ConfigurationSettings: Hashable, Sendable {
    var listen: ListenAddress?
    /// The cache folder, absolute.
    var cache: String?
    var cacheLimit: ByteSize?
    /// 1 or more.
    var cacheCount: Int?
    var cacheAge: TimeSpan?
    var cacheReserve: ByteSize?
    var keep: KeepOption?
    var revalidate: RevalidateOption?
    var ignoreCacheControl: Bool?
    var whenGone: WhenGoneOption?
    var readAhead: ByteSize?
    /// 1 byte a second or more.
    var limitRate: ByteSize?
    /// A file of certificate authorities, absolute.
    var certificateFile: String?
    var offline: Bool?
    var immutable: Bool?
    var allowedHosts: [String] = []
    var allowedSites: [String] = []
}
