// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension ScriptedSource {
    /// Makes every reading that comes to an offset stop before it until the gate opens.
    ///
    /// A reading that starts behind the offset, or ends there, is not held. A test knows that a reader
    /// stands there by ``Gate/waitForWaiters(_:)``.
    ///
    /// - Returns: the gate, shut.
    public func hold(before offset: Int64) -> Gate {
        let gate = Gate()
        self.hold(before: offset, until: gate)
        return gate
    }

    /// Makes every reading that comes to an offset stop before it until a gate opens.
    public func hold(before offset: Int64, until gate: Gate) {
        self.state.update { $0.holds.append((offset, gate)) }
    }

    /// Makes every ``describe()`` and ``read(_:)`` that comes from now on wait until the gate opens.
    ///
    /// - Returns: the gate, shut.
    public func holdAnswers() -> Gate {
        let gate = Gate()
        self.state.update { $0.answerGates.append(gate) }
        return gate
    }

    /// Makes readings that come to an offset throw instead of yielding the byte there.
    ///
    /// - Parameters:
    ///   - offset: the first byte that is not yielded. A reading that ends there does not fail.
    ///   - error: what they throw.
    ///   - times: how many readings fail; `nil` for all.
    public func fail(at offset: Int64, with error: any Error, times: Int? = 1) {
        self.state.update {
            $0.failures.append(ScriptedFailure(offset: offset, error: error, times: times))
        }
    }

    /// Makes ``describe()`` and ``read(_:)`` throw instead of answering.
    ///
    /// - Parameters:
    ///   - error: what they throw.
    ///   - times: how many of the next calls throw; `nil` for all.
    public func refuse(with error: any Error, times: Int? = 1) {
        self.state.update {
            $0.refusals.append(ScriptedFailure(offset: 0, error: error, times: times))
        }
    }

    /// Forgets all holds, failures and refusals, and lets through whoever is held.
    public func clearScript() {
        let gates = self.state.update { state in
            let gates = state.holds.map(\.gate) + state.answerGates
            state.holds = []
            state.answerGates = []
            state.failures = []
            state.refusals = []
            return gates
        }
        for gate in gates { gate.open() }
    }

    /// Puts another resource in the place of the present one.
    ///
    /// Demands pinned to the old one are refused with `changed` from now on.
    ///
    /// - Parameters:
    ///   - resource: what is read from now on.
    ///   - running: what becomes of the readings that run.
    public func replace(with resource: ScriptedResource, running: RunningReadings = .goOn) {
        self.state.update { state in
            state.resource = resource
            if running == .fail { state.brokenOff = state.log.readings.count }
        }
    }
}
