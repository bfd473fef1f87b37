// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension ByteSourceContract {
    /// One promise of the contract.
    public struct Clause: Sendable, Hashable, Identifiable, CustomStringConvertible {
        /// The promise as a sentence about the source: `yields the whole resource`.
        public let name: String
        /// What a subject must be able to be asked.
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
        /// - Throws: as ``ByteSourceContract/check(_:)``.
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
