// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirClouds

/// The module's entry points that take numbers from responses and links return a value or an error, and never trap.
///
/// They never return a length that no resource can have.
@Suite("Numbers from cloud services")
struct OutsideNumbersTests {
    @Test("sizes in listings are possible ones, or unknown")
    func sizes() throws {
        for text in OutsideNumbers.texts {
            let expected = Int64(text).flatMap(ResourceLength.checked)
            let multistatus = """
                <d:multistatus xmlns:d="DAV:"><d:response><d:href>/a.mp3</d:href><d:propstat><d:prop>\
                <d:resourcetype/><d:getcontentlength>\(text)</d:getcontentlength></d:prop>\
                <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>
                """
            let responses = try #require(MultistatusResponse.all(in: Array(multistatus.utf8)))
            #expect(responses.map(\.entry.length) == [expected], "\(text)")
            for number in [text, "\"\(text)\"", "\(text).5", "\(text)e300"] {
                let json = """
                    {"type":"file","name":"a.mp3","size":\(number),"revision":\(number),
                     "_embedded":{"items":[],"total":\(number),"limit":\(number),"offset":\(number)}}
                    """
                let resource = YandexDiskAnswer(json: Array(json.utf8))
                if number == text { #expect(resource?.size == expected, "\(text)") }
                if let size = resource?.entry.length {
                    #expect((0...ResourceLength.maximum).contains(size), "\(number)")
                }
            }
        }
    }

    @Test("lifetimes of tokens and links are bounded")
    func lives() throws {
        let numbers =
            OutsideNumbers.texts + OutsideNumbers.texts.map { "\"\($0)\"" }
            + ["1e300", "-1e300", "\"inf\"", "\"nan\"", "\"1e300\""]
        for number in numbers {
            let json = #"{"access_token":"a","expires_in":\#(number)}"#
            guard let answer = try? TokenAnswer(Array(json.utf8)) else { continue }
            #expect((0...TokenAnswer.longestLife).contains(answer.lifetime ?? 0), "\(number)")
            for now in OutsideNumbers.all { _ = answer.tokens(at: now) }
        }
        for text in OutsideNumbers.texts {
            for address in [
                "b.s3.test/a?X-Amz-Date=20240710T160235Z&X-Amz-Expires=\(text)&X-Amz-Signature=x",
                "b.s3.test/a?X-Goog-Date=99991231T235959Z&X-Goog-Expires=\(text)",
                "cdn.test/a?Expires=\(text)&Signature=x&Key-Pair-Id=y",
                "blob.test/a?se=\(text)&sig=x", "blob.test/a?se=9999-12-31T23%3A59%3A59Z&sig=x",
            ] {
                guard let url = try? OriginURL("https://\(address)") else { continue }
                for now in [0, 1_720_627_355, 1 << 40] as [Int64] {
                    if let life = (url).lifetime(at: now) { #expect(life >= .zero) }
                }
            }
        }
    }

    @Test("a file that is larger than any resource is refused with a sentence")
    func files() async throws {
        for number in OutsideNumbers.natural {
            guard let file = LargeFile(number) else { continue }
            let source = FileSource(path: file.path)
            do throws(any Error) {
                let description = try await source.describe()
                #expect(description.length == number && number <= ResourceLength.maximum)
            } catch {
                #expect((error as? SourceError)?.code == .badAnswer)
                #expect(number > ResourceLength.maximum, "\(number): \(error)")
            }
            let entry = try await FileStorage(folder: file.folder).entry(at: FolderPath("/large"))
            #expect(entry.length == ResourceLength.checked(number))
        }
    }

    /// A sparse file of some length, on a file system that allows the length; file systems in memory do.
    private final class LargeFile {
        let folder: String
        let path: String

        init?(_ length: Int64) {
            let places = ["/dev/shm", FileManager.default.temporaryDirectory.path]
            for place in places {
                let folder = "\(place)/weir-\(UInt64.random(in: 0...UInt64.max))"
                guard mkdir(folder, 0o700) == 0 else { continue }
                let path = "\(folder)/large"
                if FileManager.default.createFile(atPath: path, contents: nil),
                    truncate(path, off_t(length)) == 0
                {
                    self.folder = folder
                    self.path = path
                    return
                }
                unlink(path)
                rmdir(folder)
            }
            return nil
        }

        deinit {
            unlink(self.path)
            rmdir(self.folder)
        }
    }

    @Test("dates are possible ones, or unknown")
    func dates() {
        for year in ["0000", "0001", "1969", "1970", "2038", "9999"] {
            for rest in ["01-01T00:00:00Z", "12-31T23:59:60+23:59", "12-31T23:59:60-23:59"] {
                #expect(Int64(internetTime: "\(year)-\(rest)") != nil)
            }
        }
        for text in OutsideNumbers.texts {
            #expect(Int64(internetTime: text) == nil)
            #expect(Int64(internetTime: "\(text)-01-01T00:00:00Z") == nil)
        }
    }

    @Test("a token that ends at any time is refreshed or used, at any time")
    func ends() {
        for end in OutsideNumbers.all {
            for now in [0, 1_720_627_355, 1 << 40] as [Int64] {
                var state = OAuthCredential.State()
                state.know(AccountTokens(accessToken: "a", expirySeconds: end), at: now)
                _ = state.isAheadDue(at: now)
                _ = state.isAheadDue(at: now + 5)
            }
        }
    }
}
