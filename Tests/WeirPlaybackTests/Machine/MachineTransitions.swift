// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The events that change something in a situation of the player's machine; all other events change nothing.
///
/// Each situation is listed with its stop reason, and below it each event with its outcome. An outcome is the next
/// state and reason (`-`: the same), the change of the error, and the effects. `noted` is a change that shows only
/// later.
enum MachineTransitions {
    static let text = """
        initialized [none]
          start: starting [none]; closeGate; begin 1; publish
        starting [none]
          start: -; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; publish
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          opened: waitingForData [none]; publish
          sourceEnded, sound left: waitingForQueueToStart [none]; openGate; publish
          sourceEnded: noted
          sink opened: -; publish
          device away: starting [temporary], error kept; publish
          connection lost: starting [temporary]; publish
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
        starting after a seek [temporary]
          start: starting [none]; closeGate; begin 3; publish
          pause: paused [none]; pauseSink; publish
          seek: -; closeGate; begin 3; publish
          stop: stopping [user]; closeGate; release 2; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          deviceChanged: -; closeGate; begin 3; publish
          opened: waitingForData [temporary]; publish
          sourceEnded, sound left: waitingForQueueToStart [temporary]; openGate; publish
          sourceEnded: noted
          sink opened: starting [none]; publish
          device away: -, error kept; publish
          connection lost: noted
          finished: stopping [endOfStream]; closeGate; release 2; publish
          failed: stopping [error], error kept; closeGate; release 2; publish
        waitingForData [none]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; publish
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          queued a little: waitingForQueueToStart [none]; publish
          queued enough: waitingForQueueToStart [none]; openGate; publish
          queued, full: waitingForQueueToStart [none]; openGate; publish
          sourceEnded, sound left: waitingForQueueToStart [none]; openGate; publish
          sourceEnded: noted
          sink opened: -; publish
          device away: waitingForData [temporary], error kept; publish
          connection lost: waitingForData [temporary]; publish
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
        waitingForQueueToStart [none]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; publish
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          queued enough: -; openGate; publish
          queued, full: -; openGate; publish
          sourceEnded, sound left: -; openGate; publish
          sourceEnded: noted
          sink opened: -; publish
          device away: waitingForQueueToStart [temporary], error kept; publish
          connection lost: waitingForQueueToStart [temporary]; publish
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
        waitingForQueueToStart, lost [temporary]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; publish
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          queued enough: -; openGate; publish
          queued, full: -; openGate; publish
          sourceEnded, sound left: -; openGate; publish
          sourceEnded: noted
          sink opened: -; publish
          device away: -, error kept; publish
          connection back: waitingForQueueToStart [none]; publish
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
        ready to play [none]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; closeGate; publish
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; closeGate; publish
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          sourceEnded, sound left: noted
          sourceEnded: noted
          sink opened: playing [none]; publish
          device away: waitingForQueueToStart [temporary], error kept; publish
          connection lost: waitingForQueueToStart [temporary]; publish
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
        playing [none]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; closeGate; publish
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; closeGate; publish
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          sourceEnded, sound left: noted
          sourceEnded: noted
          ranDry: buffering [none]; closeGate; publish
          device away: waitingForQueueToStart [temporary], error kept; publish
          connection lost: noted
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
        playing, lost [none]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; closeGate; publish
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; closeGate; publish
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          sourceEnded, sound left: noted
          sourceEnded: noted
          ranDry: buffering [temporary]; closeGate; publish
          device away: waitingForQueueToStart [temporary], error kept; publish
          connection back: noted
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
        playing, device away [temporary]
          start: starting [none], error cleared; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; closeGate; publish
          seek: starting [temporary], error cleared; closeGate; begin 2; publish
          stop: stopping [user], error cleared; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; closeGate; publish
          deviceChanged: starting [temporary], error cleared; closeGate; begin 2; publish
          sourceEnded, sound left: noted
          sourceEnded: noted
          sink opened: playing [none], error cleared; publish
          connection lost: noted
          finished: stopping [endOfStream], error cleared; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
        playing the last [none]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; closeGate; publish
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; closeGate; publish
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          device away: waitingForQueueToStart [temporary], error kept; publish
          connection lost: noted
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
        buffering [none]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; publish
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          queued enough: playing [none]; openGate; publish
          queued, full: playing [none]; openGate; publish
          sourceEnded, sound left: playing [none]; openGate; publish
          sourceEnded: noted
          device away: -, error kept; publish
          connection lost: buffering [temporary]; publish
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
        buffering, lost [temporary]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; publish
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          queued enough: playing [none]; openGate; publish
          queued, full: playing [none]; openGate; publish
          sourceEnded, sound left: playing [none]; openGate; publish
          sourceEnded: noted
          device away: -, error kept; publish
          connection back: buffering [none]; publish
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
        paused [none]
          start: starting [none]; closeGate; begin 2; publish; resumeSink
          resume: playing [none]; resumeSink; openGate; publish
          seek: -; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; resumeSink; publish
          interruptionBegan: -; publish
          deviceChanged: -; closeGate; begin 2; publish
          sourceEnded, sound left: noted
          sourceEnded: noted
          device away: -, error kept; publish
          connection lost: noted
          finished: stopping [endOfStream]; closeGate; release 1; resumeSink; publish
          failed: stopping [error], error kept; closeGate; release 1; resumeSink; publish
        paused while buffering [none]
          start: starting [none]; closeGate; begin 2; publish; resumeSink
          resume: buffering [none]; resumeSink; publish
          seek: -; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; resumeSink; publish
          interruptionBegan: -; publish
          deviceChanged: -; closeGate; begin 2; publish
          queued enough: -; publish
          queued, full: -; publish
          sourceEnded, sound left: -; publish
          sourceEnded: noted
          device away: -, error kept; publish
          connection lost: noted
          finished: stopping [endOfStream]; closeGate; release 1; resumeSink; publish
          failed: stopping [error], error kept; closeGate; release 1; resumeSink; publish
        paused by the system [temporary]
          start: starting [none]; closeGate; begin 2; publish; resumeSink
          pause: paused [none]; publish
          resume: playing [none]; resumeSink; openGate; publish
          seek: -; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; resumeSink; publish
          interruptionEnded, resume: playing [none]; resumeSink; openGate; publish
          interruptionEnded: paused [none]; publish
          deviceChanged: -; closeGate; begin 2; publish
          sourceEnded, sound left: noted
          sourceEnded: noted
          device away: -, error kept; publish
          connection lost: noted
          finished: stopping [endOfStream]; closeGate; release 1; resumeSink; publish
          failed: stopping [error], error kept; closeGate; release 1; resumeSink; publish
        paused by both [none]
          start: starting [none]; closeGate; begin 2; publish; resumeSink
          resume: playing [none]; resumeSink; openGate; publish
          seek: -; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; resumeSink; publish
          interruptionEnded, resume: -; publish
          interruptionEnded: -; publish
          deviceChanged: -; closeGate; begin 2; publish
          sourceEnded, sound left: noted
          sourceEnded: noted
          device away: -, error kept; publish
          connection lost: noted
          finished: stopping [endOfStream]; closeGate; release 1; resumeSink; publish
          failed: stopping [error], error kept; closeGate; release 1; resumeSink; publish
        stopping, user [user]
          start: starting [none]; closeGate; begin 2; publish
          released: stopped [user]; publish
        stopping, end [endOfStream]
          start: starting [none]; closeGate; begin 2; publish
          stop: stopping [user]; publish
          released: stopped [endOfStream]; publish
        stopping, error [error]
          start: starting [none], error cleared; closeGate; begin 2; publish
          released: stopped [error]; publish
        stopped, user [user]
          start: starting [none]; closeGate; begin 2; publish
        stopped, end [endOfStream]
          start: starting [none]; closeGate; begin 2; publish
        stopped, error [error]
          start: starting [none], error cleared; closeGate; begin 2; publish
        """

    /// The outcomes by situation, with its reason, and event.
    static let table: [String: [String: String]] = {
        var table: [String: [String: String]] = [:]
        var situation = ""
        for line in Self.text.split(separator: "\n").map(String.init) {
            guard line.hasPrefix("  "), let colon = line.firstIndex(of: ":") else {
                situation = line
                table[situation] = [:]
                continue
            }
            let event = String(line[..<colon].dropFirst(2))
            table[situation]?[event] = String(line[colon...].dropFirst(2))
        }
        return table
    }()
}
