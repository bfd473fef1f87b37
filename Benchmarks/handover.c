// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/* How long this machine takes to copy 64 KiB into memory that another processor has just read.
 *
 *     handover
 *
 * Prints the microseconds of a copy, the median of all. One thread copies into 64 pieces in turn, and a thread on
 * another processor copies each piece out, as a server and its client do with the buffers of their sockets.
 */

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PIECE = 64 << 10, PIECES = 64, COPIES = 2000 };

static char *pieces;
static _Atomic long written, taken;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

/* Keeps this thread on the first or the last of the processors that it may use. */
static void stay(int on_last) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0) fail("sched_getaffinity");
    int chosen = -1;
    for (int processor = 0; processor < CPU_SETSIZE; processor++)
        if (CPU_ISSET(processor, &allowed) && (on_last || chosen < 0)) chosen = processor;
    CPU_ZERO(&one);
    CPU_SET(chosen, &one);
    if (sched_setaffinity(0, sizeof one, &one) < 0) fail("sched_setaffinity");
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

static void *take_all(void *unused) {
    static char own[PIECE];
    stay(1);
    for (long number = 0; number < COPIES; number++) {
        while (written <= number) sched_yield();
        memcpy(own, pieces + number % PIECES * PIECE, PIECE);
        taken = number + 1;
    }
    return unused;
}

static int by_size(const void *first, const void *second) {
    double difference = *(const double *)first - *(const double *)second;
    return (difference > 0) - (difference < 0);
}

int main(void) {
    static char own[PIECE];
    static double times[COPIES];
    pthread_t reader;
    pieces = malloc(PIECES * PIECE);
    if (!pieces) fail("malloc");
    memset(pieces, 1, PIECES * PIECE);
    /* A thread may use the processors of the one that made it, so this one chooses its own afterwards. */
    if (pthread_create(&reader, NULL, take_all, NULL)) fail("pthread_create");
    stay(0);
    for (long number = 0; number < COPIES; number++) {
        while (number - taken >= PIECES) sched_yield();
        double begun = now();
        memcpy(pieces + number % PIECES * PIECE, own, PIECE);
        times[number] = now() - begun;
        written = number + 1;
    }
    pthread_join(reader, NULL);
    qsort(times, COPIES, sizeof *times, by_size);
    printf("%.2f\n", times[COPIES / 2]);
    return 0;
}
