// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Whether whoever asks a source has been patient enough with the resource already.
///
/// Where several sources can bring a resource and one has failed after all its repetitions, the next is asked once:
/// the patience is the resource's, not each source's own.
package enum RetryAllowance {
    /// Whether sources that are asked in this task shall not repeat what fails at first.
    @TaskLocal package static var isSpent = false
}
