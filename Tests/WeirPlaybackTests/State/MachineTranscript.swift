// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What comes of every event in every situation of the player's machine: the situation with its reason, and below it for
/// each event the state and reason that follow (`-`: the same), what becomes of the error, the answer to a command that
/// is not simply done, and the effects.
enum MachineTranscript {
    static let text = """
        initialized [none]
          start: starting [none]; closeGate; begin 1; publish
          pause: -, refused
          resume: -, refused
          seek: -, refused
          stop: -, refused
          interruptionBegan: -
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: -
          opened: -
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: -
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: -
          finished: -
          failed: -
          released: -
        starting [none]
          start: -; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; publish
          resume: -, already so
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          opened: waitingForData [none]; publish
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: playing [none]; openGate; publish
          sourceEnded, none left: -
          ranDry: -
          line lost: starting [temporary]; publish
          line back: -
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
          released: -
        starting after a seek [temporary]
          start: starting [none]; closeGate; begin 3; publish
          pause: paused [none]; pauseSink; publish
          resume: -, already so
          seek: -; closeGate; begin 3; publish
          stop: stopping [user]; closeGate; release 2; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: -; closeGate; begin 3; publish
          opened: waitingForData [temporary]; publish
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: playing [none]; openGate; publish
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: -
          finished: stopping [endOfStream]; closeGate; release 2; publish
          failed: stopping [error], error kept; closeGate; release 2; publish
          released: -
        waitingForData [none]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; publish
          resume: -, already so
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          opened: -
          queued a little: waitingForQueueToStart [none]; publish
          queued enough: playing [none]; openGate; publish
          queued, full: playing [none]; openGate; publish
          sourceEnded, sound left: playing [none]; openGate; publish
          sourceEnded, none left: -
          ranDry: -
          line lost: waitingForData [temporary]; publish
          line back: -
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
          released: -
        waitingForQueueToStart [none]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; publish
          resume: -, already so
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          opened: -
          queued a little: -
          queued enough: playing [none]; openGate; publish
          queued, full: playing [none]; openGate; publish
          sourceEnded, sound left: playing [none]; openGate; publish
          sourceEnded, none left: -
          ranDry: -
          line lost: waitingForQueueToStart [temporary]; publish
          line back: -
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
          released: -
        waitingForQueueToStart, line lost [temporary]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; publish
          resume: -, already so
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          opened: -
          queued a little: -
          queued enough: playing [none]; openGate; publish
          queued, full: playing [none]; openGate; publish
          sourceEnded, sound left: playing [none]; openGate; publish
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: waitingForQueueToStart [none]; publish
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
          released: -
        playing [none]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; closeGate; publish
          resume: -, already so
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; closeGate; publish
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          opened: -
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: -
          sourceEnded, none left: -
          ranDry: buffering [none]; closeGate; publish
          line lost: -
          line back: -
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
          released: -
        playing, line lost [none]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; closeGate; publish
          resume: -, already so
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; closeGate; publish
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          opened: -
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: -
          sourceEnded, none left: -
          ranDry: buffering [temporary]; closeGate; publish
          line lost: -
          line back: -
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
          released: -
        playing the last [none]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; closeGate; publish
          resume: -, already so
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; closeGate; publish
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          opened: -
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: -
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: -
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
          released: -
        buffering [none]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; publish
          resume: -, already so
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          opened: -
          queued a little: -
          queued enough: playing [none]; openGate; publish
          queued, full: playing [none]; openGate; publish
          sourceEnded, sound left: playing [none]; openGate; publish
          sourceEnded, none left: -
          ranDry: -
          line lost: buffering [temporary]; publish
          line back: -
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
          released: -
        buffering, line lost [temporary]
          start: starting [none]; closeGate; begin 2; publish
          pause: paused [none]; pauseSink; publish
          resume: -, already so
          seek: starting [temporary]; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; publish
          interruptionBegan: paused [temporary]; pauseSink; publish
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: starting [temporary]; closeGate; begin 2; publish
          opened: -
          queued a little: -
          queued enough: playing [none]; openGate; publish
          queued, full: playing [none]; openGate; publish
          sourceEnded, sound left: playing [none]; openGate; publish
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: buffering [none]; publish
          finished: stopping [endOfStream]; closeGate; release 1; publish
          failed: stopping [error], error kept; closeGate; release 1; publish
          released: -
        paused [none]
          start: starting [none]; closeGate; begin 2; publish; resumeSink
          pause: -, already so
          resume: playing [none]; resumeSink; openGate; publish
          seek: -; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; resumeSink; publish
          interruptionBegan: -; publish
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: -; closeGate; begin 2; publish
          opened: -
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: -
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: -
          finished: stopping [endOfStream]; closeGate; release 1; resumeSink; publish
          failed: stopping [error], error kept; closeGate; release 1; resumeSink; publish
          released: -
        paused while buffering [none]
          start: starting [none]; closeGate; begin 2; publish; resumeSink
          pause: -, already so
          resume: buffering [none]; resumeSink; publish
          seek: -; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; resumeSink; publish
          interruptionBegan: -; publish
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: -; closeGate; begin 2; publish
          opened: -
          queued a little: -
          queued enough: -; publish
          queued, full: -; publish
          sourceEnded, sound left: -; publish
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: -
          finished: stopping [endOfStream]; closeGate; release 1; resumeSink; publish
          failed: stopping [error], error kept; closeGate; release 1; resumeSink; publish
          released: -
        paused by the system [temporary]
          start: starting [none]; closeGate; begin 2; publish; resumeSink
          pause: paused [none]; publish
          resume: playing [none]; resumeSink; openGate; publish
          seek: -; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; resumeSink; publish
          interruptionBegan: -
          interruptionEnded, may go on: playing [none]; resumeSink; openGate; publish
          interruptionEnded: paused [none]; publish
          deviceChanged: -; closeGate; begin 2; publish
          opened: -
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: -
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: -
          finished: stopping [endOfStream]; closeGate; release 1; resumeSink; publish
          failed: stopping [error], error kept; closeGate; release 1; resumeSink; publish
          released: -
        paused by both [none]
          start: starting [none]; closeGate; begin 2; publish; resumeSink
          pause: -, already so
          resume: playing [none]; resumeSink; openGate; publish
          seek: -; closeGate; begin 2; publish
          stop: stopping [user]; closeGate; release 1; resumeSink; publish
          interruptionBegan: -
          interruptionEnded, may go on: -; publish
          interruptionEnded: -; publish
          deviceChanged: -; closeGate; begin 2; publish
          opened: -
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: -
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: -
          finished: stopping [endOfStream]; closeGate; release 1; resumeSink; publish
          failed: stopping [error], error kept; closeGate; release 1; resumeSink; publish
          released: -
        stopping, user [user]
          start: starting [none]; closeGate; begin 2; publish
          pause: -, refused
          resume: -, refused
          seek: -, refused
          stop: -, already so
          interruptionBegan: -
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: -
          opened: -
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: -
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: -
          finished: -
          failed: -
          released: stopped [user]; publish
        stopping, end [endOfStream]
          start: starting [none]; closeGate; begin 2; publish
          pause: -, refused
          resume: -, refused
          seek: -, refused
          stop: stopping [user]; publish
          interruptionBegan: -
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: -
          opened: -
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: -
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: -
          finished: -
          failed: -
          released: stopped [endOfStream]; publish
        stopping, error [error]
          start: starting [none], error cleared; closeGate; begin 2; publish
          pause: -, refused
          resume: -, refused
          seek: -, refused
          stop: -, already so
          interruptionBegan: -
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: -
          opened: -
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: -
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: -
          finished: -
          failed: -
          released: stopped [error]; publish
        stopped, user [user]
          start: starting [none]; closeGate; begin 2; publish
          pause: -, refused
          resume: -, refused
          seek: -, refused
          stop: -, already so
          interruptionBegan: -
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: -
          opened: -
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: -
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: -
          finished: -
          failed: -
          released: -
        stopped, end [endOfStream]
          start: starting [none]; closeGate; begin 2; publish
          pause: -, refused
          resume: -, refused
          seek: -, refused
          stop: -, already so
          interruptionBegan: -
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: -
          opened: -
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: -
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: -
          finished: -
          failed: -
          released: -
        stopped, error [error]
          start: starting [none], error cleared; closeGate; begin 2; publish
          pause: -, refused
          resume: -, refused
          seek: -, refused
          stop: -, already so
          interruptionBegan: -
          interruptionEnded, may go on: -
          interruptionEnded: -
          deviceChanged: -
          opened: -
          queued a little: -
          queued enough: -
          queued, full: -
          sourceEnded, sound left: -
          sourceEnded, none left: -
          ranDry: -
          line lost: -
          line back: -
          finished: -
          failed: -
          released: -
        """
}
