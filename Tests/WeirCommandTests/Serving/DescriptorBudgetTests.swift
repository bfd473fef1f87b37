// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Weir
import WeirProxy

@testable import WeirCommand

@Suite("The budget of descriptors")
struct DescriptorBudgetTests {
    private func budget(_ limit: UInt64, loops: Int = 3) -> DescriptorBudget {
        DescriptorBudget(limit: limit, eventLoopCount: loops)
    }

    private func total(_ budget: DescriptorBudget, loops: Int = 3) -> Int {
        48 + 3 * loops + budget.clients + ProxyConfiguration.reserve(beside: budget.clients)
            + budget.openDataFiles + 2 * budget.connectionsPerHost
    }

    @Test("with plenty of descriptors every part gets all it wants")
    func plenty() {
        for limit in [4096, 20_000, 1 << 20, UInt64.max] {
            let budget = self.budget(limit)
            #expect(budget.clients == 1024)
            #expect(budget.connectionsPerHost == 16)
            #expect(budget.openDataFiles == 1024)
            #expect(budget.isEnough)
        }
        #expect(self.budget(2048).clients == 775)
        #expect(self.budget(2048).openDataFiles == 1024)
        #expect(self.budget(1024).clients == 512)
        #expect(self.budget(1024).openDataFiles == 263)
    }

    @Test(
        "from the floor on, all parts together never exceed the limit, and grow with it",
        arguments: [2, 5, 13]
    )
    func limits(loops: Int) {
        var last = self.budget(0, loops: loops)
        let needed = last.needed
        #expect(needed == 128)
        for limit in UInt64(needed)..<3000 {
            let budget = self.budget(limit, loops: loops)
            #expect(budget.isEnough)
            #expect(self.total(budget, loops: loops) <= Int(limit), "\(limit)")
            #expect(budget.clients >= last.clients && budget.openDataFiles >= last.openDataFiles)
            #expect(budget.connectionsPerHost >= last.connectionsPerHost)
            last = budget
        }
    }

    @Test("below the floor an error says how many are needed and what to do")
    func floor() throws {
        for limit in [0, 64, 127] as [UInt64] {
            let budget = self.budget(limit)
            #expect(!budget.isEnough)
            #expect(
                budget.clients >= 16 && budget.openDataFiles >= 8 && budget.connectionsPerHost >= 2
            )
            let error = #expect(throws: CommandError.self) { try budget.check(limit: limit) }
            #expect(
                error?.description
                    == "weir serve needs 128 descriptors (open files and connections), and the system allows \(limit);"
                    + " raise the limit, such as with ulimit -n 1024, and start it again."
            )
        }
        #expect(throws: Never.self) { try self.budget(128).check(limit: 128) }
    }

    @Test("a machine with many processors needs more")
    func processors() {
        let budget = self.budget(128, loops: 65)
        #expect(budget.needed == 48 + 3 * 65 + 40)
        #expect(!budget.isEnough)
    }

    @Test("a lower setting stays")
    func apply() {
        var library = MediaLibrary.Configuration(directory: "/nowhere")
        var proxy = ProxyConfiguration(maximumConnections: 3)
        library.transport.connectionsPerHost = 1
        self.budget(1024).apply(to: &library, &proxy)
        #expect(proxy.maximumConnections == 3)
        #expect(library.transport.connectionsPerHost == 1)
        #expect(library.maximumOpenFiles == 263)
    }
}
