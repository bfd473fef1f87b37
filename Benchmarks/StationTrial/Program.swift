// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirAudio
import WeirLive
import WeirSource

/// Measures the processor time that the listeners of one station cost.
///
///     station-trial packets|bytes LISTENERS SECONDS FILE
///
/// The station sends the file over and over in pieces of 1,436 bytes, one every 5 ms: about
/// eighteen times as fast as 128 kbit/s. Each listener reads packets, as a player does, or bytes,
/// as a listener through the proxy does. The program prints one line of JSON: the processor time of
/// the process, and the least and the most that a listener received.
@main
struct Program {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count == 4, ["packets", "bytes"].contains(words[0]),
            let count = Int(words[1]), let seconds = Int(words[2]), count > 0, seconds > 0,
            let file = FileManager.default.contents(atPath: words[3]), !file.isEmpty
        else {
            FileHandle.standardError.write(
                Data("usage: station-trial packets|bytes LISTENERS SECONDS FILE\n".utf8)
            )
            exit(2)
        }
        let transport = ReplayTransport(Array(file), pieceCount: seconds * 200)
        let station = Station(name: "trial", transport: transport)
        let isBytes = words[0] == "bytes"
        let before = Self.processorTime()
        let heard = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<count {
                let listener = station.listen()
                group.addTask {
                    isBytes ? await Self.countBytes(listener) : await Self.countPackets(listener)
                }
            }
            await transport.waitForEnd()
            await station.close()
            var heard: [Int] = []
            while let number = await group.next() { heard.append(number) }
            return heard
        }
        let spent = Self.processorTime() - before
        print(
            "{\"kind\": \"\(words[0])\", \"listeners\": \(count), \"pieces\": \(seconds * 200),"
                + " \"processor_ms\": \(Int(spent * 1000)), \"least\": \(heard.min() ?? 0),"
                + " \"most\": \(heard.max() ?? 0)}"
        )
    }

    private static func countBytes(_ listener: StationListener) async -> Int {
        var total = 0
        while let piece = try? await listener.next() {
            if case .audio(let bytes) = piece { total += bytes.count }
        }
        return total
    }

    private static func countPackets(_ listener: StationListener) async -> Int {
        var total = 0
        while let sound = try? await listener.nextSound() {
            if case .packets(let packets) = sound { total += packets.packets.count }
        }
        return total
    }

    /// The processor time that the process has used, in seconds.
    private static func processorTime() -> Double {
        var usage = rusage()
        // 0 is RUSAGE_SELF, which Glibc declares with a type that `getrusage` does not accept.
        getrusage(0, &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
        }
    }
}
