// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if LinuxAudio
import Dispatch
import Synchronization
import WeirPlayback

/// What is done on the queue of the device, which alone touches it.
extension ALSASink {
    /// Opens the device, tells who waits for it, and serves it until it is closed or fails.
    func openAndPlay(_ format: PCMFormat) {
        let device: ALSADevice
        do throws(AudioError) {
            device = try ALSASetup.open(self.device, for: format)
        } catch {
            self.takeOpener()?.resume(throwing: error)
            return
        }
        let now = self.now
        let opener = self.state.withLock { state -> CheckedContinuation<PCMFormat, any Error>? in
            // Whoever asked has gone: the device goes, too.
            guard let opener = state.opener else { return nil }
            state.opener = nil
            var line = ALSALine(format: device.format, frameSize: device.samples.frameSize)
            if state.wantsPause { line.pause(at: now) }
            state.line = line
            state.samples = device.samples
            return opener
        }
        guard let opener else { return }
        opener.resume(returning: device.format)
        do throws(AudioError) {
            while try self.turn(device) {}
            self.state.withLock { $0.line = nil }
        } catch {
            self.change { state in
                state.line = nil
                state.failure = error
                return Self.takeWaiter(&state)
            }?.resume(throwing: error)
        }
    }

    /// Does one thing for the device; whether there is more to come.
    private func turn(_ device: ALSADevice) throws(AudioError) -> Bool {
        let (step, bytes) = self.state.withLock { state in
            let step = state.line?.next() ?? .close
            if case .rest = step { state.isResting = true } else { state.isResting = false }
            return (step, state.line?.bytes ?? [])
        }
        switch step {
        case .close: return false
        case .discard: device.discard()
        case .pause: device.pause()
        case .resume: device.resume()
        case .write(let number):
            let count = try device.write(bytes)
            if count == 0 { try device.wait(milliseconds: 20) }
            self.state.withLock { state in
                let isDone = state.line?.took(count, ofWrite: number) ?? false
                return isDone && !state.isDraining ? Self.takeWaiter(&state) : nil
            }?.resume()
        case .rest(let isPlaying):
            if isPlaying {
                if !device.isPaused, try device.writeReplay() { device.startIfReady() }
                _ = self.wakeup.wait(timeout: .now() + .milliseconds(20))
            } else if device.delayFrames == 0 || device.isPaused {
                if !device.isPaused { self.drained() }
                self.wakeup.wait()
            }
        }
        let delay = device.delayFrames
        let now = self.now
        self.state.withLock { $0.line?.measured(delay, at: now) }
        return true
    }

    /// Tells who waits that all was played.
    private func drained() {
        self.state.withLock { state in
            state.isDraining && state.line?.bytes.isEmpty == true ? Self.takeWaiter(&state) : nil
        }?.resume()
    }
}
#endif
