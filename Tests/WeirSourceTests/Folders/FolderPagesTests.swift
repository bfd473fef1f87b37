// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("The pages of a folder")
struct FolderPagesTests {
    @Test("are requested one by one, and each iteration starts from the first page")
    func areAskedFor() async throws {
        let calls = Watched(0)
        let pages = FolderPages {
            let count = Watched(0)
            return {
                calls.update { $0 += 1 }
                let number = count.update { count in
                    count += 1
                    return count
                }
                return number > 3 ? nil : [FolderEntry(name: "\(number)", kind: .file)]
            }
        }
        let iterator = pages.makeAsyncIterator()
        #expect(calls.value == 0)
        #expect(try await iterator.next()?.map(\.name) == ["1"])
        #expect(calls.value == 1)
        var names: [String] = []
        for try await page in pages { names += page.map(\.name) }
        #expect(names == ["1", "2", "3"])
    }

    @Test("end at once for a cancelled task")
    func endForCancelled() async throws {
        let calls = Watched(0)
        let pages = FolderPages {
            {
                calls.update { $0 += 1 }
                return nil
            }
        }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pages.makeAsyncIterator().next()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(calls.value == 0)
    }

    @Test("have entries that describe a source")
    func describe() {
        let entry = FolderEntry(
            name: "a.mp3",
            kind: .file,
            length: 5,
            mediaType: .mpegAudio,
            validator: .revision("r")
        )
        #expect(
            entry.resource
                == ResourceDescription(
                    length: 5,
                    mediaType: .mpegAudio,
                    validator: .revision("r"),
                    name: "a.mp3"
                )
        )
    }
}
