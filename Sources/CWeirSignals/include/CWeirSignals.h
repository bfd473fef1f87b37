// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef CWEIRSIGNALS_H
#define CWEIRSIGNALS_H

/// The read end of a pipe with the numbers of watched signals, one byte each; it does not block.
///
/// Every call, from any thread, returns the same descriptor; -1 with `errno` if there is no pipe.
int weir_signal_pipe(void);

/// Makes a signal write its number into the pipe, in place of its earlier action.
///
/// Returns 0; -1 with `errno`.
int weir_watch_signal(int number);

#endif
