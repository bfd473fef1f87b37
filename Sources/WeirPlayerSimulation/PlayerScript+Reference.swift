// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension PlayerScript {
    /// The sequences that were observed in players, or reported: S1 to S11.
    package static let reference: [PlayerScript] = [
        s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11,
    ]

    /// MP3 on iOS 13 and later, as the author of an article describes it, with invented example
    /// numbers.
    package static let s1 = PlayerScript(
        name: "S1",
        origin: "described by its author, example numbers (zhgchg.li)",
        length: 150_000,
        steps: [
            .probe,
            .rest(from: 0, .cancelled(after: 700)),
            .rest(from: 700, .cancelled(after: 800)),
            .rest(from: 1_500, .cancelled(after: 500)),
            .rest(from: 5_000, .awaited),
        ]
    )

    /// MP3 up to iOS 12: several short requests before the request to the end; described by the
    /// same author, without numbers.
    package static let s2 = PlayerScript(
        name: "S2",
        origin: "described by its author, numbers ours (zhgchg.li)",
        length: 150_000,
        steps: [
            .probe, .span(0, 20_000), .span(20_000, 20_000), .span(40_000, 20_000),
            .rest(from: 60_000, .awaited),
        ]
    )

    /// Captured on iOS 13: the probe, and immediately the whole resource.
    package static let s3 = PlayerScript(
        name: "S3",
        origin: "captured, lengths ours (DVAssetLoaderDelegate#11)",
        length: 1_000_000,
        steps: [.probe, .rest(from: 0, .awaited).overlapping()]
    )

    /// A video of 2 GB: always a request to the end, with an early cancellation, and a seek.
    package static let s4 = PlayerScript(
        name: "S4",
        origin: "described by its author (sodes#2)",
        length: 2 << 30,
        steps: [
            .probe,
            .rest(from: 0, .cancelled(after: 3_000_000)),
            .rest(from: 1 << 20, .cancelled(after: 2_000_000)),
        ]
    )

    /// MP3: the request for the whole resource is cancelled almost at once, then chunks follow.
    package static let s5 = PlayerScript(
        name: "S5",
        origin: "described by its author, numbers ours (sodes#2)",
        length: 400_000,
        steps: [
            .probe, .rest(from: 0, .cancelled(after: 0)), .span(0, 65_536),
            .span(65_536, 65_536), .span(131_072, 65_536),
        ]
    )

    /// Captured at a proxy on iOS 12.1: a span that touches the end.
    package static let s6 = PlayerScript(
        name: "S6",
        origin: "captured at a proxy (KTVHTTPCache#90)",
        length: 6_766_656,
        steps: [.probe, .rest(from: 1_321_396, .awaited)]
    )

    /// Captured at a proxy: the probe, answered with the whole length.
    package static let s7 = PlayerScript(
        name: "S7",
        origin: "captured at a proxy (KTVHTTPCache#25)",
        length: 6_550_537,
        steps: [.probe]
    )

    /// Captured: a request for 2 MiB of a shorter file, and then a request for the rest of these 2
    /// MiB.
    package static let s8 = PlayerScript(
        name: "S8",
        origin: "captured (VideoPlayer#23)",
        length: 170_636,
        steps: [.probe, .span(0, 2_097_152), .span(170_636, 1_926_516)]
    )

    /// Captured: the last byte is not available, and the player asks for it again and again.
    package static let s9: PlayerScript = {
        var script = PlayerScript(
            name: "S9",
            origin: "captured at a proxy (AVProVideo#424)",
            length: 5_331_381,
            steps: [
                .probe, .rest(from: 0, .awaited), .rest(from: 5_331_380, .awaited),
                .rest(from: 5_331_380, .awaited),
            ]
        )
        script.failsAt = 5_331_380
        script.failures = 2
        return script
    }()

    /// A queue: the next item is probed while the last request of the previous item is live.
    ///
    /// The player does not cancel that request; the asset just disappears.
    package static let s10 = PlayerScript(
        name: "S10",
        origin: "described by its author, numbers ours (zhgchg.li)",
        length: 300_000,
        steps: [
            .probe,
            .rest(from: 0, .forgotten(after: 40_000)),
            .probe(asset: 1),
            .span(0, 30_000).of(asset: 1, leaving: 0),
            .span(30_000, 30_000).of(asset: 1),
            .rest(from: 60_000, .awaited).of(asset: 1),
        ]
    )

    /// An MP4 with its index at the end: derived from the behaviour of other engines.
    package static let s11 = PlayerScript(
        name: "S11",
        origin: "derived, no capture known",
        length: 1_000_000,
        steps: [
            .probe,
            .rest(from: 0, .cancelled(after: 4_096)),
            Step(.beforeEnd(40_000), .rest, toTheEnd: true, .awaited),
            .rest(from: 4_096, .cancelled(after: 600_000)),
        ]
    )
}
