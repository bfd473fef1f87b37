// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Answers the orders of a directory's owner with an origin of this process.
struct Supplier: Sendable {
    let socket: OwnerSocket
    let origin: any ByteSource

    /// Connects, and sends what was asked for; stops when nobody wants it any more.
    func carryOut(_ order: OriginOrder, number: UInt64) async {
        guard let channel = try? await self.socket.connect(),
            (try? await channel.send(OwnerRequest(kind: .supply(order: number)))) != nil
        else { return }
        switch order {
        case .read(let demand):
            let isSpent = demand.isSpent
            guard let demand = demand.demand else { return channel.close() }
            await RetryAllowance.$isSpent.withValue(isSpent) {
                await channel.send(reading: { [origin] in try await origin.read(demand) })
            }
        case .describe:
            await channel.send(answer: { [origin] in
                .described(DescriptionMessage(try await origin.describe()))
            })
        case .isUnchanged(let pin):
            await channel.send(answer: { [origin] in
                .unchanged(try await origin.isUnchanged(pin.pin))
            })
        }
    }
}
