// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check that weir has everything that it needs.",
        discussion: """
            Prints a line for each check: the configuration, the cache and its disk, open files, the address of weir \
            serve, audio output, and each source of the configuration, whose folder it requests. The command changes \
            nothing, except that it creates a missing cache folder. If a check fails, the exit status is 1. A problem \
            of only some commands is a warning.

            EXAMPLES
              weir doctor
              weir doctor --offline
            """
    )

    @Flag(help: "Send no request to the sources.")
    var offline = false

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        try self.cache.requireFolder()
        let examination: Examination
        do {
            let settings = try MediaSettings(
                self.source,
                self.cache,
                self.output,
                isOffline: self.offline
            )
            let configured = settings.configuration.settings
            let limit: ByteSize? =
                try settings.environment.value("WEIR_CACHE_LIMIT") ?? configured.cacheLimit
            let usual = MediaLibrary.Configuration().cacheLimits.byteCount
            examination = Examination(
                settings: settings,
                cache: self.cache.path(settings.environment, configured),
                limit: limit?.bytes ?? usual ?? 0
            )
        } catch {
            try self.show(Finding("configuration", .failed, error.ownerSentence))
            throw ExitCode(ExitStatus.failed.rawValue)
        }
        var hasFailed = false
        for examine in examination.all {
            for finding in try await Signals().interruptible(examine) {
                try self.show(finding)
                hasFailed = hasFailed || finding.level == .failed
            }
        }
        if hasFailed { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    private func show(_ finding: Finding) throws {
        if self.output.json { return try Output.json(finding.json) }
        if self.output.quiet, finding.level == .ok { return }
        Output.print(finding.line)
    }
}
