// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension ConfigurationReader {
    /// What can stand in every section of a source whose files are encrypted.
    static let cipherKeys = CipherChoices.Key.allCases.map(\.rawValue)

    /// How the files of a source are decrypted; `nil` for not at all.
    func cipher(_ table: ConfigurationTable) throws(CommandError) -> CipherSettings? {
        let choices = CipherChoices(
            scheme: try self.scheme(table),
            keyFile: try table.path(.keyFile, self.surroundings),
            keyVariable: try table.string(.keyVariable, "the name of a variable in quotes"),
            initialVector: try self.vector(table),
            counter: try table.option(
                .counter,
                as: UInt64.self,
                "a whole number, 0 or more"
            ),
            plainHeader: try table.option(
                .plainHeader,
                as: ByteSize.self,
                "a size in quotes, such as \"1KiB\", or a number of bytes"
            ),
            padding: try table.option(
                .padding,
                as: PaddingOption.self,
                "\"pkcs7\" or \"none\""
            ),
            derivation: try table.option(
                .derivation,
                as: KeyDerivationOption.self,
                "\"pbkdf2\", \"pbkdf2:ITERATIONS\", \"bytes-to-key\" or \"bytes-to-key:md5\""
            ),
            keyBits: try table.option(.keyBits, as: KeyBits.self, "128, 192 or 256")
        )
        do throws(CipherConflict) {
            return try choices.settings(.configuration)
        } catch {
            throw table.failure(error.key.rawValue, error.what)
        }
    }

    private func scheme(_ table: ConfigurationTable) throws(CommandError) -> CipherScheme? {
        let key = CipherChoices.Key.scheme
        let names = CipherScheme.allCases.map(\.rawValue)
        guard let text = try table.string(key, "one of \(CipherScheme.list), in quotes") else {
            return nil
        }
        guard let scheme = CipherScheme(rawValue: text) else {
            let nearest = Nearest.name(to: text, among: names)
            let guess = nearest.map { "did you mean \"\($0)\"? " } ?? ""
            throw table.failure(
                key.rawValue,
                "is no format that Weir knows; \(guess)There are \(CipherScheme.list)."
            )
        }
        return scheme
    }

    /// A number without quotes would have lost its zeros.
    private func vector(_ table: ConfigurationTable) throws(CommandError) -> InitialVectorOption? {
        let expected = "hexadecimal digits in quotes, 32 for 16 bytes, or \"prefix\""
        guard let text = try table.string(.initialVector, expected) else { return nil }
        guard let vector = InitialVectorOption(argument: text) else {
            throw table.failure(
                CipherChoices.Key.initialVector.rawValue,
                "must be \(expected)."
            )
        }
        return vector
    }
}
