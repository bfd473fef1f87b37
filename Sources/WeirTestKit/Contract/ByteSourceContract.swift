// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// The promises of every `ByteSource`, as clauses that can be checked one by one.
///
/// A test target gives its source to the contract once and runs all clauses over it:
///
/// ```swift
/// let contract = ByteSourceContract(abilities: [.holding, .originCount]) { resource in
///     let origin = resource.makeOrigin()
///     return ContractSubject(MySource(origin), over: origin)
/// }
///
/// @Test("MySource keeps the contract", arguments: ByteSourceContract.clauses)
/// func keepsTheContract(_ clause: ByteSourceContract.Clause) async throws {
///     try await clause.check(contract)
/// }
/// ```
///
/// This module imports no testing library. A broken clause throws a ``ContractViolation``.
public struct ByteSourceContract: Sendable {
    /// The abilities of a subject beyond the protocol; clauses that need more are skipped.
    public struct Abilities: OptionSet, Sendable, Hashable {
        /// The bits.
        public let rawValue: Int

        /// Combines bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The origin can hide the length of the resource.
        public static let unknownLength = Abilities(rawValue: 1)
        /// The origin stops where ``ContractResource/hold`` says.
        public static let holding = Abilities(rawValue: 2)
        /// ``ContractSubject/originByteCount`` counts the bytes that the origin hands out.
        public static let originCount = Abilities(rawValue: 4)
        /// ``ContractSubject/replace`` replaces the resource by another one.
        public static let replacement = Abilities(rawValue: 8)
        /// The origin can end without proof that it has sent everything, if it hides the length.
        public static let unprovenEnd = Abilities(rawValue: 16)
        /// All abilities.
        public static let all: Abilities = [
            .unknownLength, .holding, .originCount, .replacement, .unprovenEnd,
        ]
    }

    /// The result of a check that found no violation.
    public enum Verdict: Sendable, Hashable {
        /// The source keeps the clause.
        case kept
        /// The subject lacks an ability that the clause needs.
        case notApplicable
    }

    /// The abilities of the subjects.
    public let abilities: Abilities
    /// How many bytes the source may have taken from its origin in advance of its consumer.
    public let readAhead: Int64
    /// How long a clause may take before it counts as hanging.
    public let patience: Duration

    let clock: any Clock<Duration>
    let makeSubject: @Sendable (ContractResource) async throws -> ContractSubject

    /// Describes the source to be checked.
    ///
    /// - Parameters:
    ///   - abilities: the abilities of the subjects beyond the protocol.
    ///   - readAhead: how many bytes, at most, the source reads ahead, as it documents. Count the
    ///     whole last chunk of the origin.
    ///   - patience: how long a clause may take. It limits only sources that hang.
    ///   - clock: measures the patience.
    ///   - makeSubject: makes a new source of the given resource, for each clause at least one.
    public init(
        abilities: Abilities = [],
        readAhead: Int64 = 0,
        patience: Duration = .seconds(20),
        clock: any Clock<Duration> = ContinuousClock(),
        makeSubject: @escaping @Sendable (ContractResource) async throws -> ContractSubject
    ) {
        self.abilities = abilities
        self.readAhead = readAhead
        self.patience = patience
        self.clock = clock
        self.makeSubject = makeSubject
    }

    /// All clauses, in the order in which a new source is best developed.
    public static let clauses: [Clause] =
        rangeClauses + endClauses + lengthClauses + readerClauses + versionClauses
        + residenceClauses
        + cancellationClauses + backPressureClauses

    /// Checks one clause on new subjects.
    ///
    /// - Throws: ``ContractViolation``; `CancellationError` if the calling task is cancelled.
    @discardableResult
    public func check(_ clause: Clause) async throws -> Verdict {
        guard clause.needs.isSubset(of: self.abilities) else { return .notApplicable }
        let examination = Examination(self, clause)
        // Owned by this call, which cancels it when there is an outcome or the call itself is
        // cancelled. A task group would wait for a source that ignores cancellation; so the task is
        // unstructured.
        let work = Task {
            do {
                try await clause.examine(examination)
                examination.conclude(.success(()))
            } catch {
                examination.conclude(.failure(error))
            }
        }
        // Owned by this call, which cancels it as soon as there is an outcome.
        let watchdog = Task { [clock, patience] in
            try await clock.sleep(for: patience)
            examination.conclude(
                .failure(examination.violation("hung, waiting for \(examination.awaited)"))
            )
        }
        defer {
            work.cancel()
            watchdog.cancel()
        }
        let outcome: Result<Void, any Error>
        do {
            outcome = try await examination.outcome()
            await examination.end()
        } catch {
            await examination.end()
            throw error
        }
        do {
            try outcome.get()
        } catch let violation as ContractViolation {
            throw violation
        } catch {
            throw examination.violation("threw \(error), waiting for \(examination.awaited)")
        }
        return .kept
    }
}

extension ByteSourceContract {
    /// One promise of the contract.
    public struct Clause: Sendable, Hashable, Identifiable, CustomStringConvertible {
        /// The promise as a sentence about the source: `yields the whole resource`.
        public let name: String
        /// The abilities that the clause needs.
        public let needs: Abilities

        let examine: @Sendable (Examination) async throws -> Void

        init(
            _ name: String,
            needs: Abilities = [],
            examine: @escaping @Sendable (Examination) async throws -> Void
        ) {
            self.name = name
            self.needs = needs
            self.examine = examine
        }

        /// The name.
        public var id: String { self.name }

        /// The name.
        public var description: String { self.name }

        /// Checks the clause.
        ///
        /// - Throws: the errors of ``ByteSourceContract/check(_:)``.
        @discardableResult
        public func check(_ contract: ByteSourceContract) async throws -> Verdict {
            try await contract.check(self)
        }

        /// Whether two clauses have the same name.
        public static func == (left: Clause, right: Clause) -> Bool {
            left.name == right.name
        }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(self.name)
        }
    }
}

/// A promise of ``ByteSourceContract`` that a source does not keep.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// The name of the clause.
    public let clause: String
    /// The behaviour of the source, in the words that follow "it" in ``description``.
    public let message: String

    /// One sentence: the clause and the observed behaviour.
    public var description: String {
        "The source breaks the clause \"\(self.clause)\": it \(self.message)."
    }
}
