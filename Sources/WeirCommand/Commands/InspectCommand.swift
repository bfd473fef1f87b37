// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirAudio
import WeirHTTP
import WeirLive
import WeirSource

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the format, the packets and the tags of media.",
        discussion: """
            Examines the bytes, not the name: MP3, AAC, Ogg (Vorbis, Opus, FLAC), FLAC, WAV, MP4. It lists the entries \
            of a playlist, and the description that a radio station sends. The cache keeps the fetched bytes, as in \
            playback. Of a stream without end, or of more than 64 MB at an origin, it examines only the first MB, \
            unless you pass --packets.

            EXAMPLES
              weir inspect yandex:/Music/a.mp3
              weir inspect song.opus --packets --json
            """
    )

    @Argument(
        help: .value("thing", "A URL, a file, NAME:PATH of a source, or a radio station."),
        completion: Completions.things
    )
    var name: String

    @Flag(
        help:
            "A line for every packet; with --json: index, offset, size, time and duration in samples, MD5."
    )
    var packets = false

    @OptionGroup var options: MediaOptions

    func run() async throws {
        let settings = try MediaSettings([self.name], self.options)
        let stations = try StationList.read(settings.environment)
        let command = self
        try await settings.withLibrary { library in
            let resolver = MediaResolver(library: library, settings: settings, stations: stations)
            let reference = try resolver.reference(command.name)
            try await Signals().interruptible {
                switch reference {
                case .station(let station): try await command.inspect(station)
                case .media(let location):
                    try await command.inspect(location.settled(in: library), resolver)
                }
            }
        }
    }

    private func inspect(_ location: MediaLocation, _ resolver: MediaResolver) async throws {
        let media = try location.media(in: resolver.library)
        do {
            if let station = try await resolver.station(at: location, media) {
                return try await self.inspect(station)
            }
            try await self.show(
                Inspector(media: media, isWhole: media.identifier == nil || self.packets)
            )
        } catch {
            throw await location.explained(error)
        }
    }

    private func inspect(_ station: NamedStation) async throws {
        do {
            try await self.show(Inspector(station: station, isWhole: self.packets))
        } catch {
            await station.station.close()
            throw error
        }
        await station.station.close()
    }

    private func show(_ inspector: Inspector) async throws {
        let output = self.options.output
        let showsPackets = self.packets
        let inspection = try await inspector.inspect { line in
            guard showsPackets else { return }
            if !output.json, line.index == 0 { Output.print(PacketLine.heading) }
            if output.json { try Output.json(line.json) } else { Output.print(line.text) }
            try Output.checkReader()
        }
        if showsPackets {
            for trouble in inspection.troubles { output.warn("\(trouble.text)") }
            if let failure = inspection.failure { throw failure }
            return
        }
        if output.json {
            try Output.json(inspection.json)
        } else if inspection.hasFindings {
            Output.print(inspection.text)
        }
        if let failure = inspection.failure { throw failure }
    }
}

extension MediaResolver {
    /// The radio station at a URL, if the server's response identifies a station.
    ///
    /// - Returns: `nil` if the medium is held, is decrypted or has an end; also if Weir is offline,
    ///   or if the location is not a URL.
    /// - Throws: `SourceError` if a request fails; after a `badAnswer` to the library's request,
    ///   only if the URL is not a station. `CancellationError`.
    fileprivate func station(at location: MediaLocation, _ media: Media) async throws
        -> NamedStation?
    {
        guard case .origin(let url) = location.place,
            !self.library.configuration.isOffline, media.availability.held.isEmpty,
            self.settings.decryption == nil
        else { return nil }
        var refusal: SourceError?
        do {
            let description = try await media.describe()
            guard description.length == nil, description.acceptsRanges != true else { return nil }
        } catch let error as SourceError where error.code == .badAnswer {
            // The library rejects the old protocol of some stations.
            refusal = error
        }
        let transport = try self.library.stationTransport(url, headers: self.settings.headers)
        let answer: StationAnswer
        do {
            answer = try await transport.answer()
        } catch let error as SourceError {
            throw refusal ?? error
        }
        let head = URLProbe.Answer(answer)
        guard head.isStation, head.length == nil else {
            answer.body.cancel()
            if let refusal { throw refusal }
            return nil
        }
        let answered = AnsweredTransport(transport, answer: answer)
        let station = Station(name: transport.display, transport: answered)
        return NamedStation(transport.display, display: transport.display, station)
    }
}
