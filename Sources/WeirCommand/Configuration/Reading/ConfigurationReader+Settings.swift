// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension ConfigurationReader {
    private static let keys = [
        "listen", "cache", "cache-limit", "cache-count", "cache-age", "cache-reserve", "keep",
        "revalidate", "ignore-cache-control", "when-gone", "read-ahead", "limit-rate", "ca-file",
        "offline", "immutable", "allow-host",
        "allow-cross-origin", "sources",
    ]

    /// The settings at the top of the file.
    func settings(_ top: ConfigurationTable) throws(CommandError) -> ConfigurationSettings {
        try top.allow(only: Self.keys)
        let size = "a size in quotes, such as \"20GiB\""
        var settings = ConfigurationSettings()
        settings.listen = try top.option(
            "listen",
            as: ListenAddress.self,
            "an address and a port in quotes, such as \"127.0.0.1:4747\""
        )
        settings.cache = try top.path("cache", self.surroundings)
        settings.cacheLimit = try top.option("cache-limit", as: ByteSize.self, size)
        settings.cacheCount = try self.count(top)
        settings.cacheAge = try top.option(
            "cache-age",
            as: TimeSpan.self,
            "a time in quotes, such as \"12h\" or \"30d\""
        )
        settings.cacheReserve = try top.option("cache-reserve", as: ByteSize.self, size)
        settings.keep = try top.option(
            "keep",
            as: KeepOption.self,
            "\"played\", \"whole\" or \"first:SIZE\""
        )
        settings.revalidate = try top.option(
            "revalidate",
            as: RevalidateOption.self,
            "\"always\", \"never\" or a time such as \"60s\""
        )
        settings.ignoreCacheControl = try top.boolean("ignore-cache-control")
        settings.whenGone = try top.option(
            "when-gone",
            as: WhenGoneOption.self,
            "\"serve\" or \"refuse\""
        )
        settings.readAhead = try top.option("read-ahead", as: ByteSize.self, size)
        settings.limitRate = try top.option("limit-rate", as: ByteSize.self, size)
        if settings.limitRate?.bytes == 0 {
            throw top.failure("limit-rate", "must be more than 0; leave it out for no limit.")
        }
        settings.certificateFile = try top.path("ca-file", self.surroundings)
        settings.offline = try top.boolean("offline")
        settings.immutable = try top.boolean("immutable")
        settings.allowedHosts =
            try top.strings("allow-host", "a list of names, such as [\"nas.local\"]") ?? []
        settings.allowedSites =
            try top.strings(
                "allow-cross-origin",
                "a list of sites, such as [\"https://app.example\"]"
            ) ?? []
        return settings
    }

    private func count(_ top: ConfigurationTable) throws(CommandError) -> Int? {
        let expected = "a whole number without quotes, 1 or more"
        let count = try top.integer("cache-count", expected)
        if let count, count < 1 { throw top.failure("cache-count", "must be \(expected).") }
        return count
    }
}
