// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#ifndef CWEIRSIGNALS_H
#define CWEIRSIGNALS_H

/// The end of a pipe from which the numbers of watched signals are read, a byte each; it does not block.
///
/// The same one at each call, from any thread; -1 where there is none, with `errno`.
int weir_signal_pipe(void);

/// Has a signal write its number into the pipe from now on, in the place of what it did before.
///
/// Returns 0; -1 with `errno`.
int weir_watch_signal(int number);

#endif
