// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirCache
import WeirLoader
import WeirSource

@testable import WeirSharing

/// Messages of every kind, for tests of their form.
enum MessageSamples {
    static let validators: [Validator?] = [
        nil, .entityTag("\"x\""), .lastModified("Mon", length: 3), .revision("r"),
    ]

    static let descriptions = validators.map { validator in
        ResourceDescription(
            length: 12,
            mediaType: MediaType(headerValue: "audio/mpeg"),
            validator: validator,
            name: "ü.mp3",
            acceptsRanges: validator == nil ? nil : true,
            generation: GenerationID(rawValue: .max),
            cacheDirectives: validator.map { _ in
                CacheDirectives(forbidsStoring: true, freshness: .seconds(9))
            }
        )
    }

    static let demands: [ReadDemand] = {
        let version = ReadDemand.Version(validator: .entityTag("\"a\""), length: 7)
        let ranges = [RequestedRange.from(0), .from(.max), .span(3..<9), .span(5..<5), .suffix(4)]
        return ranges.flatMap { [ReadDemand($0), ReadDemand($0, version: version)] }
    }()

    static let policies = [PrefetchPolicy.nothing, .whole, .first(9)].flatMap { prefetch in
        [Revalidation.always, .never, .after(.milliseconds(1500))].flatMap { revalidation in
            [nil, WhenGone.serve, .refuseUnauthorized, .refuse].map { whenGone in
                LoadPolicy(
                    prefetch: prefetch,
                    readAhead: 5,
                    linger: .milliseconds(250),
                    revalidation: revalidation,
                    isImmutable: true,
                    whenGone: whenGone,
                    lingerWithoutRanges: .seconds(7)
                )
            }
        }
    }

    static let resource = CachedResource(
        identifier: SharingScene.key.identifier,
        generation: GenerationID(rawValue: 1),
        display: "http://a.example/ü",
        account: "me",
        length: nil,
        heldByteCount: 5,
        mediaType: MediaType(headerValue: "audio/flac"),
        name: nil,
        lastUse: Date(timeIntervalSince1970: 1.5),
        created: Date(timeIntervalSince1970: -1),
        isPinned: true
    )

    static let limits = [
        CacheLimits(), CacheLimits(byteCount: 1, resourceCount: 2, age: .seconds(3), reserve: 4),
    ]

    static let text = {
        var text = SharedText(Array("#E".utf8), at: "http://a/b", entityTag: "\"1\"")
        (text.age, text.lasts) = (.milliseconds(1500), .seconds(4))
        return text
    }()

    static let failure = SourceError(
        .throttled,
        "Wait.",
        range: 1..<5,
        host: "h",
        status: 429,
        length: 9
    )
    .tellingOwner("Wait for TOKEN.")

    static let context = DownloadContext([1, 2, 255]) ?? .empty

    static let downloadCommands: [DownloadCommand] = {
        var settings = DownloadSettings()
        (settings.isExpensive, settings.maximumRunning) = (true, 7)
        return [
            .add(SharingScene.key, isPinned: true),
            .add(SharingScene.key, context: context, isPinned: false),
            .fail("e", failure), .pause("a"), .resume("b"), .pauseAll, .resumeAll,
            .move("c", to: -3), .remove("d", deletingBytes: true), .set(settings), .list,
        ]
    }()

    static let downloads: [DownloadStatus] = {
        let waits = DownloadState.Wait.allCases.map { DownloadState.waiting($0) }
        return ([.queued, .running, .paused, .finished, .failed(failure)] + waits).map {
            DownloadStatus(
                id: "e",
                display: "ü",
                account: "me",
                context: context,
                state: $0,
                heldByteCount: 5,
                length: nil
            )
        }
    }()

    static let commands: [CacheCommand] = [
        .list, .remove("a"), .removeAll, .pin("b", true), .verify("c"), .export("d", path: "/e"),
    ]

    static let results: [CommandResult] = [
        .resources([]), .resources([resource, resource]), .found(true), .exported(1 << 40),
        .verified(CacheVerification(soundByteCount: 1, damagedByteCount: 2)),
        .removed(CacheRemoval(resourceCount: 3, byteCount: 1 << 40)),
    ]

    /// One of each message, and several of those with parts.
    static let all: [Message] = {
        let name = SharedResource(key: SharingScene.key, isOffline: true)
        var all: [Message] = policies.map { .use(name, $0) }
        all += demands.map { .read(use: 7, $0) }
        all += [.describe(use: .max), .held(use: 3), .supply(order: 3)]
        all += commands.map { .command($0) }
        all += downloadCommands.map { .download($0) }
        all += [.watchDownloads, .downloads([]), .downloads(downloads)]
        all += [.shareText(key: "", after: .max), .loadText(number: 1), .text(text, number: 6)]
        all += limits.map { .using(1, $0) }
        all += [.alive, .watch, .end, .unchanged(true), .unchanged(false)]
        all += demands.map { .order(9, .read($0, isLastTry: true)) }
        all += [.order(1, .describe)]
        all += validators.map {
            .order(2, .isUnchanged(ReadDemand.Version(validator: $0, length: nil)))
        }
        all += [
            .availability(Availability(held: RangeSet(), length: nil)),
            .availability(Availability(held: RangeSet([0..<3, 7..<9]), length: 9)),
        ]
        all += descriptions.map { .described($0) }
        all += descriptions.map {
            .reading($0, lowerBound: 1, upperBound: 8, provesEnd: true, coversWhole: false)
        }
        all += descriptions.map {
            .reading($0, lowerBound: 0, upperBound: nil, provesEnd: false, coversWhole: true)
        }
        all += results.map { .done($0) }
        all += [
            .failure(failure), .failure(SourceError(.closed, "")),
            .failure(CacheError(.full, "Full.")), .failure(PeerError.disconnected),
        ]
        return all
    }()
}
