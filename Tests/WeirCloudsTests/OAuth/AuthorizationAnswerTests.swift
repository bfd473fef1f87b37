// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirClouds

@Suite("The answer from the browser")
struct AuthorizationAnswerTests {
    private func failure(_ query: String) -> AuthorizationAnswer.Failure? {
        do throws(AuthorizationAnswer.Failure) {
            _ = try AuthorizationAnswer(reading: query, state: "s t")
            return nil
        } catch {
            return error
        }
    }

    @Test("a code with the right state is accepted, in any order and coding")
    func code() throws {
        for query in [
            "code=a%2Fb&state=s%20t", "state=s+t&x&code=a/b&", "&&state=s%20%74&code=%61%2fb",
        ] {
            #expect(try AuthorizationAnswer(query: query, state: "s t").code == "a/b")
        }
    }

    @Test("an answer with a wrong state or without a code is refused")
    func wrong() {
        for query in [
            "", "code=a", "code=a&state=", "code=a&state=S%20t", "code=a&state=s t&state=s t",
        ] {
            #expect(self.failure(query) == .wrongState, "\(query)")
        }
        for query in [
            "state=s t", "state=s t&code=", "state=s t&code=a&code=b", "state=s t&Code=a",
        ] {
            #expect(self.failure(query) == .noCode, "\(query)")
        }
        #expect(
            self.failure("error=access_denied&state=s+t&code=a")
                == .refused(error: "access_denied", explanation: nil)
        )
    }

    @Test("a refusal is a sentence, without characters that confuse a terminal")
    func refused() {
        let error = #expect(throws: SourceError.self) {
            try AuthorizationAnswer(
                query: "error=server_error&error_description=No%1b[31m%0Aluck&state=s",
                state: "s"
            )
        }
        #expect(error?.code == .unauthorized)
        #expect(error?.message.contains("No [31m luck") == true)
        #expect(String(repeating: "x", count: 999).shownOnOneLine().count == 201)
    }

    @Test("any text gives an answer or an error", arguments: 0..<20)
    func anything(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("code=state&%+se 41ü\u{0}#?")
        for _ in 0..<200 {
            let count = Int.random(in: 0..<40, using: &generator)
            let text = String(
                (0..<count).map { _ in
                    alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
                }
            )
            _ = self.failure(text)
        }
    }

    @Test("no description of a code shows it")
    func hidden() {
        let answer = AuthorizationAnswer(code: "hush")
        var dumped = ""
        dump(answer, to: &dumped)
        #expect(!"\(answer)\(String(reflecting: answer))\(dumped)".contains("hush"))
    }
}
