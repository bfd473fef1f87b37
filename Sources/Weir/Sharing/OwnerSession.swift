// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirCache
import WeirSource

/// One connection of another process, as the owner of the directory sees it.
struct OwnerSession: Sendable {
    /// How long somebody may be connected and ask for nothing.
    private static let patience = TimeAmount.seconds(10)
    /// How often a user hears what is held, at most.
    private static let announcement = Duration.milliseconds(50)

    let owner: CacheOwner
    let channel: FrameChannel

    /// Answers what is asked, until it is done or the other end has gone.
    func run() async {
        let deadline = self.channel.close(after: Self.patience)
        guard case .message(let buffer)? = await self.channel.next() else { return }
        deadline.cancel()
        guard let request = try? FrameChannel.decode(OwnerRequest.self, from: buffer),
            request.version == OwnerRequest.version
        else { return await self.refuse(OwnerRequest.otherVersion) }
        if case .supply(let order) = request.kind {
            return self.owner.orders.supply(order, with: self.channel)
        }
        guard self.owner.hasRoom else { return await self.refuse(Interruption()) }
        switch request.kind {
        case .use(let key, let policy, let isOffline):
            guard let key = key.key else { return await self.refuse(OwnerRequest.otherVersion) }
            await self.lend(KeptSource.Name(key: key, isOffline: isOffline), policy)
        case .read(let use, let demand):
            guard let source = self.owner.source(ofUse: use), let demand = demand.demand else {
                return await self.refuse(Interruption())
            }
            await self.channel.send(reading: { try await source.cached.read(demand) })
        case .describe(let use):
            guard let source = self.owner.source(ofUse: use) else {
                return await self.refuse(Interruption())
            }
            await self.channel.send(answer: {
                .described(DescriptionMessage(try await source.cached.describe()))
            })
        case .supply: break
        case .command(let command):
            // Owned by this call, which cancels it: comparing may take minutes, and a user wants to know that we live.
            let pulse = Task { [channel] in await channel.pulse() }
            await self.channel.send(answer: { [cache = self.owner.cache] in
                .done(try await command.perform(on: cache))
            })
            pulse.cancel()
        }
    }

    private func refuse(_ error: any Error) async {
        try? await self.channel.send(OwnerAnswer.failure(FailureMessage(error)))
        self.channel.close()
    }

    /// Lets a user play a resource, and borrows its origin, for as long as it is there.
    private func lend(_ name: KeptSource.Name, _ policy: PolicyMessage) async {
        let source = self.owner.source(name, policy: policy.policy)
        let lender = RemoteOrigin(self.channel, self.owner.orders)
        let lease = source.origin.lend(lender)
        source.enter()
        let number = self.owner.begin(source)
        defer {
            lender.end()
            self.owner.end(use: number)
            _ = source.leave()
        }
        await withDiscardingTaskGroup { group in
            group.addTask {
                let limits = LimitsMessage(self.owner.cache.limits)
                try? await self.channel.send(OwnerAnswer.using(number, limits))
                await self.channel.keepAlive()
            }
            var isWatching = false
            while case .message(let buffer)? = await self.channel.next() {
                guard case .watch? = try? FrameChannel.decode(OwnerAnswer.self, from: buffer),
                    !isWatching
                else { continue }
                isWatching = true
                group.addTask { await self.announce(source) }
            }
            group.cancelAll()
        }
        withExtendedLifetime(lease) {}
    }

    /// Tells what is held, whenever it has changed.
    private func announce(_ source: KeptSource) async {
        for await availability in source.cached.availabilityChanges() {
            let message = AvailabilityMessage(availability)
            guard (try? await self.channel.send(OwnerAnswer.availability(message))) != nil,
                (try? await Task.sleep(for: Self.announcement)) != nil
            else { return }
        }
    }
}
