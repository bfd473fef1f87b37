// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Checks calls as a real system and Apple's documentation require; not Apple's.
///
/// A call that the documentation does not allow is a violation. Examples are a key of a wrong length, a too small
/// buffer, and a cryptor that is used after its release or never released. A lenient system, for one test, records
/// violations; the default system traps.
public final class StubCryptoSystem: Sendable {
    /// The system of the current task.
    @TaskLocal public static var current = StubCryptoSystem(isLenient: false)

    /// More living cryptors than this mean that some are never released.
    private static let largestCount = 64

    private struct State {
        var cryptors: [UInt: StubCryptor] = [:]
        var made: UInt = 0
        var violations: [String] = []
    }

    private let isLenient: Bool
    private let state = Mutex(State())

    /// A system.
    ///
    /// - Parameter isLenient: whether it records violations instead of trapping.
    public init(isLenient: Bool = true) { self.isLenient = isLenient }

    /// The calls that break the rules of the real system.
    public var violations: [String] { self.state.withLock { $0.violations } }

    /// How many cryptors have not been released.
    public var living: Int { self.state.withLock { $0.cryptors.count } }

    /// How many cryptors were made.
    public var made: Int { self.state.withLock { Int($0.made) } }

    func refuse(_ violation: String, _ status: Int = kCCParamError) -> CCCryptorStatus {
        guard self.isLenient else { fatalError("CommonCrypto was given \(violation).") }
        self.state.withLock { $0.violations.append(violation) }
        return CCCryptorStatus(status)
    }

    func made(_ cryptor: StubCryptor) -> CCCryptorRef? {
        let (reference, count) = self.state.withLock { state in
            state.made += 1
            // The address is never used again, so a use after the release is detected.
            let address = state.made * 16
            state.cryptors[address] = cryptor
            return (address, state.cryptors.count)
        }
        if count > Self.largestCount { _ = self.refuse("\(count) cryptors that nobody releases") }
        return CCCryptorRef(bitPattern: reference)
    }

    func run(
        _ reference: CCCryptorRef?,
        _ output: UnsafeMutableRawPointer?,
        _ room: Int,
        _ moved: UnsafeMutablePointer<Int>,
        _ work: (inout StubCryptor) -> StubCryptor.Outcome
    ) -> CCCryptorStatus {
        let address = UInt(bitPattern: reference)
        let outcome = self.state.withLock { state -> StubCryptor.Outcome? in
            guard var cryptor = state.cryptors[address] else { return nil }
            let outcome = work(&cryptor)
            if case .bytes(let bytes) = outcome, bytes.count > room { return outcome }
            state.cryptors[address] = cryptor
            return outcome
        }
        switch outcome {
        case nil: return self.refuse("a cryptor that does not exist")
        case .violation(let violation, let status): return self.refuse(violation, status)
        case .bytes(let bytes):
            guard bytes.count <= room, output != nil || bytes.isEmpty else {
                return self.refuse("room for \(room) of \(bytes.count) bytes", kCCBufferTooSmall)
            }
            if let output { output.copyMemory(from: bytes, byteCount: bytes.count) }
            moved.pointee = bytes.count
            return CCCryptorStatus(kCCSuccess)
        }
    }

    func release(_ reference: CCCryptorRef?) -> CCCryptorStatus {
        let wasAlive = self.state.withLock {
            $0.cryptors.removeValue(forKey: UInt(bitPattern: reference)) != nil
        }
        return wasAlive
            ? CCCryptorStatus(kCCSuccess) : self.refuse("a cryptor to release that does not exist")
    }
}
