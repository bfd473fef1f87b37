// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirAudio

/// Tests the audio parsers on real files more thoroughly than a debug build could, and measures
/// their speed.
///
///     audio-trial speed SECONDS FILE…    measures the speed of parsing each file from memory
///     audio-trial once FILE…             parses each file once, to count the allocations
///     audio-trial chunks BYTES FILE…     parses each file whole, byte by byte, with a cut at each
///                                        of the first BYTES positions, and in random pieces
///     audio-trial joins COUNT FILE…      begins to parse at COUNT random offsets
///     audio-trial garbage COUNT FILE…    puts random bytes between the packets, COUNT times
///     audio-trial seeks COUNT FILE…      seeks to COUNT random times
///
/// The program prints one line for each file. The exit status is 1 if a file failed.
@main
struct Program {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        let hasNumber = words.first != "once"
        guard let command = words.first, words.count >= (hasNumber ? 3 : 2),
            let number = hasNumber ? Int(words[1]) : 0
        else { Program.complain() }
        var isGood = true
        for path in words.dropFirst(hasNumber ? 2 : 1) {
            let file: TrialFile
            do {
                file = try TrialFile(path)
            } catch {
                print(TrialLine(file: path, failure: "\(error)").text)
                isGood = false
                continue
            }
            let line: TrialLine
            switch command {
            case "speed": line = SpeedTrial(file).run(seconds: Double(number))
            case "once": line = SpeedTrial(file).runOnce()
            case "chunks": line = ChunkTrial(file).run(splits: number)
            case "joins": line = JoinTrial(file).run(count: number)
            case "garbage": line = GarbageTrial(file).run(count: number)
            case "seeks": line = SeekTrial(file).run(count: number)
            default: Program.complain()
            }
            print(line.text)
            if line.failure != nil { isGood = false }
        }
        exit(isGood ? 0 : 1)
    }

    static func complain() -> Never {
        FileHandle.standardError.write(
            Data("usage: audio-trial speed|once|chunks|joins|garbage|seeks [NUMBER] FILE…\n".utf8)
        )
        exit(2)
    }
}
