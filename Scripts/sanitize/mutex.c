// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Tells ThreadSanitizer of the contended half of Swift's Synchronization.Mutex on Linux.
//
// An uncontended Mutex is an atomic exchange that the compiler puts into our own code, where the sanitizer
// sees it. A contended one calls two functions of the standard library, which is not built for the sanitizer:
// accesses that those order look unordered, and every contended Mutex is reported as a race. This library, loaded
// before the standard library, wraps the two functions, and tells the sanitizer when they lock and unlock.
//
// Swift passes `self` in a register of its own; `swiftcall` and `swift_context` name it for the compiler.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void (*lock_function)(uint32_t, __attribute__((swift_context)) void *);
typedef __attribute__((swiftcall)) void (*unlock_function)(__attribute__((swift_context)) void *);

// The sanitizer's, where the process has one: a process without it is left as it is.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

static lock_function next_lock;
static unlock_function next_unlock;

// Before the first thread: looking a symbol up takes locks of its own.
__attribute__((constructor)) static void find(void) {
    next_lock = (lock_function)dlsym(RTLD_NEXT, LOCK);
    next_unlock = (unlock_function)dlsym(RTLD_NEXT, UNLOCK);
}

__attribute__((swiftcall)) void lock_slow(uint32_t, __attribute__((swift_context)) void *) __asm__(LOCK);
__attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *) __asm__(UNLOCK);

__attribute__((swiftcall)) void lock_slow(uint32_t thread, __attribute__((swift_context)) void *handle) {
    if (!next_lock) find();
    if (!next_lock) abort();
    next_lock(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

__attribute__((swiftcall)) void unlock_slow(__attribute__((swift_context)) void *handle) {
    if (__tsan_release) __tsan_release(handle);
    if (!next_unlock) find();
    if (!next_unlock) abort();
    next_unlock(handle);
}
