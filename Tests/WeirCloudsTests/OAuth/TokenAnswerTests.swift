// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirClouds

@Suite("The answer of a token endpoint")
struct TokenAnswerTests {
    private func read(_ text: String) throws(TokenAnswer.Failure) -> TokenAnswer {
        try TokenAnswer(Array(text.utf8))
    }

    private func failure(_ text: String) -> TokenAnswer.Failure? {
        do throws(TokenAnswer.Failure) {
            _ = try self.read(text)
            return nil
        } catch {
            return error
        }
    }

    @Test("tokens are read, with the lifetime as a number or in quotes")
    func tokens() throws {
        for life in ["3600", "\"3600\"", "3600.5", "\"3600.0\"", "3.6e3"] {
            let answer = try self.read(
                """
                {"access_token":"a","refresh_token":"r","expires_in":\(life),"token_type":"Bearer",
                 "scope":"x y","more":[1]}
                """
            )
            #expect(answer.lifetime == 3600)
            #expect(
                answer.tokens(at: 1000)
                    == AccountTokens(
                        accessToken: "a",
                        refreshToken: "r",
                        expirySeconds: 4600,
                        scope: "x y"
                    )
            )
        }
    }

    @Test(
        "an unusable lifetime is absent, and an enormous one is bounded",
        arguments: [
            ("null", nil), ("\"soon\"", nil), ("{}", nil), ("true", nil), ("-5", 0), ("0", 0),
            ("1e300", TokenAnswer.longestLife), ("\"inf\"", TokenAnswer.longestLife),
            ("\"nan\"", nil), ("99999999999999999999999", TokenAnswer.longestLife),
        ] as [(String, Int64?)]
    )
    func lifetimes(_ text: String, _ seconds: Int64?) throws {
        let answer = try self.read("{\"access_token\":\"a\",\"expires_in\":\(text)}")
        #expect(answer.lifetime == seconds)
        _ = answer.tokens(at: .max)
    }

    @Test("fields that the answer does not repeat stay")
    func kept() throws {
        let old = AccountTokens(
            accessToken: "o",
            refreshToken: "r",
            expirySeconds: 1,
            clientIdentifier: "c",
            clientSecret: "s",
            scope: "x"
        )
        let new = try self.read("{\"access_token\":\"n\",\"refresh_token\":\"\"}")
            .tokens(at: 5, replacing: old)
        var expected = old
        expected.accessToken = "n"
        expected.expirySeconds = nil
        #expect(new == expected)
    }

    @Test("a refusal keeps the service's code and words")
    func refused() {
        #expect(
            self.failure("{\"error\":\"invalid_grant\",\"error_description\":\"expired\"}")
                == .refused(error: "invalid_grant", explanation: "expired")
        )
        #expect(
            self.failure("{\"error\":\"invalid_client\",\"error_description\":5}")
                == .refused(error: "invalid_client", explanation: nil)
        )
    }

    @Test("other answers are refused")
    func wrong() {
        for text in ["", "<html>", "[]", "null", "1", "{", String(repeating: "[", count: 50_000)] {
            #expect(self.failure(text) == .noObject)
        }
        for text in ["{}", "{\"access_token\":\"\"}", "{\"access_token\":5}"] {
            #expect(self.failure(text) == .noAccessToken)
        }
        for token in ["a b", "a\\r\\nX: y", "ü"] {
            #expect(
                self.failure("{\"access_token\":\"\(token)\"}") == .unusableToken
            )
        }
        #expect(
            self.failure("{\"access_token\":\"a\",\"token_type\":\"mac\"}")
                == .unknownTokenType
        )
        #expect(
            self.failure(String(repeating: " ", count: TokenAnswer.largestSize + 1))
                == .tooLarge(limit: TokenAnswer.largestSize)
        )
    }

    @Test("every truncation, every flipped bit and any bytes give a value or an error")
    func anything() {
        let bytes = Array(
            "{\"access_token\":\"a\",\"expires_in\":3600,\"token_type\":\"bearer\"}".utf8
        )
        for end in 0...bytes.count { _ = try? TokenAnswer(Array(bytes[..<end])) }
        for index in 0..<bytes.count * 8 {
            var bytes = bytes
            bytes[index / 8] ^= 1 << UInt8(index % 8)
            _ = try? TokenAnswer(bytes)
        }
        var generator = SeededGenerator(seed: 1)
        for count in 0..<300 {
            _ = try? TokenAnswer((0..<count).map { _ in .random(in: 0...255, using: &generator) })
        }
    }
}
