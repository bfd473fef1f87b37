// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Weir
import WeirAudio
import WeirCache
import WeirPlayback
import WeirPlayer
import WeirSource

/// The result of one check of the things that weir needs.
struct Finding: Hashable, Sendable {
    enum Level: String, Sendable {
        case ok
        /// Some commands do not work, or may soon fail.
        case warning
        case failed
    }

    let subject: String
    let level: Level
    /// The state of the subject; for a failure and most warnings, a sentence that also says what to
    /// do.
    let message: String

    init(_ subject: String, _ level: Level, _ message: String) {
        self.subject = subject
        self.level = level
        self.message = message
    }

    /// The line of output for a person.
    var line: String {
        let level = self.level.rawValue.fitted(toCells: 9)
        return
            "\(level)\(self.subject.fitted(toCells: max(15, self.subject.cellCount + 2)))\(self.message.printableLine)"
    }

    var json: JSON {
        [
            "event": "finding", "subject": self.subject, "level": self.level.rawValue,
            "message": self.message,
        ]
    }
}

/// Checks what weir needs (the machine, the sound, the sources) and changes nothing.
struct Examination: Sendable {
    /// How long a sound device may take to open.
    private static let deviceTime: Duration = .seconds(3)
    /// The disk counts as full below this number of free bytes.
    private static let leastFree: Int64 = 500_000_000

    let settings: MediaSettings
    let cache: String
    /// The size limit of the cache, in bytes.
    let limit: Int64

    /// All checks, each of which may take a while; offline, no check sends a request to a source.
    var all: [@Sendable () async throws -> [Finding]] {
        let machine: [@Sendable () async throws -> [Finding]] = [
            { [self.configuration, self.folder, self.openFiles, self.address] },
            { await self.sound() },
        ]
        guard !self.settings.libraryOptions.isOffline else { return machine }
        return machine
            + self.settings.configuration.sources.map { source in
                { [try await self.examined(source)] }
            }
    }

    // MARK: The machine

    private var configuration: Finding {
        let configuration = self.settings.configuration
        guard FileManager.default.fileExists(atPath: configuration.file) else {
            return Finding(
                "configuration",
                .ok,
                "\(configuration.file) does not exist, and is optional"
            )
        }
        let count = configuration.sources.count
        return Finding(
            "configuration",
            .ok,
            "\(configuration.file), \(count) source\(count == 1 ? "" : "s")"
        )
    }

    private var folder: Finding {
        // A missing folder is created with its parents, so check the nearest parent that exists.
        var place = URL(filePath: self.cache)
        while !FileManager.default.fileExists(atPath: place.path), place.path != "/" {
            place.deleteLastPathComponent()
        }
        var status = stat()
        guard stat(place.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            access(place.path, W_OK | X_OK) == 0
        else {
            return Finding(
                "cache",
                .failed,
                "\(self.cache) cannot be written to; name another folder with --cache or WEIR_CACHE, or check the"
                    + " permissions of \(place.path)."
            )
        }
        let held = (try? Cache.resources(inDirectory: self.cache)) ?? []
        let bytes = held.reduce(Int64(0)) { $0.addingClamped($1.heldByteCount) }
        var system = statvfs()
        guard statvfs(place.path, &system) == 0 else {
            return Finding(
                "cache",
                .warning,
                "\(self.cache); the free space of its disk is unknown."
            )
        }
        let free = Int64(clamping: UInt64(system.f_bavail) &* UInt64(system.f_frsize))
        let what = "\(self.cache), \(ByteSize.format(bytes)) held, \(ByteSize.format(free)) free"
        let room = bytes.addingClamped(free)
        if free < Self.leastFree || room < self.limit {
            return Finding(
                "cache",
                .warning,
                "\(what): less than the cache may hold; make room, or give a smaller --cache-limit."
            )
        }
        return Finding("cache", .ok, what)
    }

    private var openFiles: Finding {
        guard let limit = OpenFileLimit.current else {
            return Finding("open files", .warning, "The system does not report its limit.")
        }
        guard limit >= UInt64(DescriptorBudget.floor) else {
            return Finding(
                "open files",
                .warning,
                "\(limit), and weir serve needs \(DescriptorBudget.floor); raise the limit with ulimit -n."
            )
        }
        let budget = DescriptorBudget(proxyLoopCount: self.settings.eventLoopCount)
        return Finding("open files", .ok, "\(limit), for \(budget.clients) players at a time")
    }

    private var address: Finding {
        let configured = self.settings.configuration.settings.listen
        let address: ListenAddress
        do {
            address =
                try self.settings.environment.value("WEIR_LISTEN") ?? configured
                ?? ListenAddress.standard
        } catch {
            return Finding("address", .failed, error.ownerSentence)
        }
        let text = "\(ListenAddress.urlHost(address.host)):\(address.port)"
        switch LocalNetwork.trouble(listeningOn: address) {
        case nil: return Finding("address", .ok, "\(text) is free for weir serve")
        case EADDRINUSE?:
            return Finding(
                "address",
                .warning,
                "\(text) is in use, perhaps by a running weir serve; if not, choose another with --listen or in the"
                    + " configuration."
            )
        case let number?:
            return Finding(
                "address",
                .failed,
                "weir cannot listen on \(text) (\(String(cString: strerror(number)))); choose another with --listen"
                    + " or in the configuration."
            )
        }
    }

    // MARK: Sound

    private func sound() async -> [Finding] {
        let format = AudioFormat(
            container: .mpegAudio,
            codec: .mpegLayer(3),
            sampleRate: 44_100,
            channelCount: 2
        )
        return [self.decoders(for: format), await self.device()]
    }

    private func decoders(for format: AudioFormat) -> Finding {
        var reason = "This system has no decoder for MP3."
        for factory in PlatformSound.decoders {
            do throws(AudioError) {
                if try factory.decoder(for: format) != nil {
                    return Finding("decoders", .ok, "are available for weir play")
                }
            } catch {
                reason = error.ownerSentence
            }
        }
        return Finding("decoders", .warning, reason)
    }

    /// Opens the device that `weir play` would use, and closes it at once.
    private func device() async -> Finding {
        let pcm = PCMFormat(sampleRate: 44_100, channelCount: 2)
        let trouble: String? = await withCheckedContinuation { continuation in
            let answer = Once { continuation.resume(returning: $0) }
            // If the sound server hangs, this task stays until the program ends.
            Task {
                do {
                    let sink = try SinkChoice.usual.sink(device: nil)
                    _ = try await sink.open(pcm)
                    answer.give(nil)
                } catch {
                    answer.give(error.ownerSentence)
                }
            }
            Task {
                try? await Task.sleep(for: Self.deviceTime)
                answer.give(
                    "The sound device has not opened within 3 s; check the sound server."
                )
            }
        }
        let name = SinkChoice.usual.name(device: nil)
        return trouble.map { Finding("sound", .warning, $0) }
            ?? Finding("sound", .ok, "\(name) opens")
    }

    // MARK: Sources

    private func examined(_ source: ConfiguredSource) async throws -> Finding {
        let subject = "\(source.name):/"
        if case .http(.command(let words, _), _, _) = source.kind {
            return Finding(
                subject,
                .ok,
                "is not checked: \(words.first ?? "its program") makes a link for each file"
            )
        }
        do {
            _ = try source.cipher?.decryption(
                KeyReader(self.settings.environment, warn: { Output.note($0) })
            )
            return try await self.settings.withLibrary { library in
                let location = try MediaResolver(library: library, settings: self.settings)
                    .location(subject)
                let clock = ContinuousClock()
                let start = clock.now
                let entry = try await location.origin(in: library).entry(at: .root)
                let milliseconds = Int64(((clock.now - start) / .milliseconds(1)).rounded())
                return Finding(
                    subject,
                    .ok,
                    "\(location.placeDisplay) answers in \(milliseconds) ms\(entry.kind == .folder ? "" : ", with a file")"
                )
            }
        } catch let error as CancellationError {
            throw error
        } catch let error as SourceError where error.code == .badAnswer {
            return Finding(subject, .warning, "answers, but lists nothing: \(error.ownerSentence)")
        } catch {
            return Finding(subject, .failed, error.ownerSentence)
        }
    }
}

/// Passes on the first of several results, and ignores the rest.
private final class Once<Value: Sendable>: Sendable {
    private let take: Mutex<(@Sendable (Value) -> Void)?>

    init(_ take: @escaping @Sendable (Value) -> Void) { self.take = Mutex(take) }

    func give(_ value: Value) { self.take.withLock { $0.take() }?(value) }
}
