// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Synchronization
import WeirPlayback

/// The work on the device's queue; only this queue uses the device.
extension ALSASink {
    /// Opens the device, resumes the opener, and serves the device until it is closed or fails.
    func openAndPlay(_ format: PCMFormat) {
        let device: ALSADevice
        let gain = self.state.withLock { state in
            state.isOpening = true
            return state.gain
        }
        do throws(AudioError) {
            device = try ALSADevice.open(self.device, for: format, gain: gain)
        } catch {
            self.state.withLock { state in
                defer { state.opener = nil }
                state.isOpening = false
                return state.opener
            }?.resume(throwing: error)
            return
        }
        let now = self.now
        let opener = self.state.withLock { state -> CheckedContinuation<PCMFormat, any Error>? in
            state.isOpening = false
            // The opener was cancelled, so the device is closed.
            guard let opener = state.opener else { return nil }
            state.opener = nil
            var machine = ALSAMachine(format: device.format)
            if state.gain != gain { machine.setGain(state.gain) }
            state.heardGain = gain
            if state.wantsPause { machine.pause(at: now) }
            state.machine = machine
            return opener
        }
        guard let opener else { return }
        opener.resume(returning: device.format)
        do throws(AudioError) {
            while try self.turn(device) {}
            self.state.withLock { $0.machine = nil }
        } catch {
            self.change { state in
                state.machine = nil
                state.failure = error
                return Self.takeWaiter(&state)
            }?.resume(throwing: error)
        }
    }

    /// Performs one step for the device; returns whether there may be more steps.
    private func turn(_ device: ALSADevice) throws(AudioError) -> Bool {
        let (step, samples) = self.state.withLock { state in
            let step = state.machine?.next() ?? .close
            if case .rest = step { state.isResting = true } else { state.isResting = false }
            return (step, state.machine?.samples ?? [])
        }
        switch step {
        case .close: return false
        case .discard: device.discard()
        case .pause: device.pause()
        case .resume: device.resume()
        case .setGain(let gain): try device.setGain(gain)
        case .write(let number):
            let count = try device.write(samples)
            if count == 0 { try device.wait(milliseconds: 20) }
            self.state.withLock { state in
                let isDone = state.machine?.took(count, ofWrite: number) ?? false
                return isDone && !state.isDraining ? Self.takeWaiter(&state) : nil
            }?.resume()
        case .rest(let isPlaying):
            if isPlaying {
                if !device.isPaused, try device.writeReplay() { device.startIfReady() }
                _ = self.wakeup.wait(timeout: .now() + .milliseconds(20))
            } else {
                if !device.isPaused { self.drained() }
                self.wakeup.wait()
            }
        }
        let delay = device.delayFrames
        let now = self.now
        let gain = device.gain(behind: delay)
        self.state.withLock { state in
            state.machine?.measured(delay, at: now)
            state.heardGain = gain
        }
        return true
    }

    /// Resumes the call that waits until the device has played everything.
    private func drained() {
        self.state.withLock { state in
            state.isDraining && state.machine?.samples.isEmpty == true
                ? Self.takeWaiter(&state) : nil
        }?.resume()
    }
}
#endif
