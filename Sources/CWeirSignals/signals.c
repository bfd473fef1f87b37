// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CWeirSignals.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ends[2] = {-1, -1};
static int failure;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_pipe(void) {
    if (pipe(ends) != 0) {
        failure = errno;
        return;
    }
    for (int index = 0; index < 2; index++) {
        fcntl(ends[index], F_SETFD, FD_CLOEXEC);
        fcntl(ends[index], F_SETFL, fcntl(ends[index], F_GETFL) | O_NONBLOCK);
    }
}

// If the pipe is full, the signal is dropped: thousands already wait in it.
static void tell(int number) {
    int former = errno;
    unsigned char byte = (unsigned char)number;
    ssize_t written = write(ends[1], &byte, 1);
    (void)written;
    errno = former;
}

int weir_signal_pipe(void) {
    pthread_once(&once, open_pipe);
    if (ends[0] < 0) errno = failure;
    return ends[0];
}

int weir_watch_signal(int number) {
    if (weir_signal_pipe() < 0) return -1;
    struct sigaction action = {.sa_handler = tell, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, NULL);
}
