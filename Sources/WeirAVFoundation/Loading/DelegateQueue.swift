// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import Dispatch

/// A serial queue that is the executor of an actor: what a framework calls on the queue is already in the actor.
///
/// A callback that is made on ``queue`` enters the actor with `assumeIsolated`, without a change of threads.
package final class DelegateQueue: SerialExecutor {
    /// The queue; hand it to whoever calls back.
    package let queue: DispatchQueue

    /// Makes a queue.
    package init(label: String) {
        self.queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Traps unless the caller is on the queue.
    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(self.queue))
    }
}
