// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/* The least that a proxy must do that keeps a file: it receives it, takes the CRC-32C of it, writes it down, makes it
 * durable beside, and sends it.
 *
 *     limit PORT FILE
 *
 * Prints its URL, serves one request of whatever path by asking 127.0.0.1:PORT for the same, keeps the body in FILE, and
 * ends. One thread moves the bytes, from memory to both sides; another one makes 32 MiB durable at a time, as weir does.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#endif

enum { PIECE = 1 << 20, DURABLE_AT_ONCE = 32 << 20 };

static int file;
static long written;
static int is_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static long checked(long result, const char *what) {
    if (result < 0) fail(what);
    return result;
}

static uint32_t checksum(uint32_t value, const char *bytes, long count) {
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
#if defined(__x86_64__)
        value = (uint32_t)_mm_crc32_u64(value, word);
#elif defined(__aarch64__)
        value = __crc32cd(value, word);
#endif
    }
    return value;
}

static void *synchronize(void *none) {
    long durable = 0;
    pthread_mutex_lock(&lock);
    while (!is_over) {
        if (written - durable < DURABLE_AT_ONCE) {
            pthread_cond_wait(&changed, &lock);
            continue;
        }
        durable = written;
        pthread_mutex_unlock(&lock);
        checked(fdatasync(file), "fdatasync");
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return none;
}

static void tell(long count, int over) {
    pthread_mutex_lock(&lock);
    written += count;
    is_over = over;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void send_all(int to, const char *bytes, long count) {
    while (count > 0) {
        long sent = checked(send(to, bytes, count, 0), "send");
        bytes += sent;
        count -= sent;
    }
}

static void keep(const char *bytes, long count, long offset) {
    while (count > 0) {
        long kept = checked(pwrite(file, bytes, count, offset), "pwrite");
        bytes += kept;
        offset += kept;
        count -= kept;
    }
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "limit PORT FILE\n");
        return 2;
    }
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int listener = checked(socket(AF_INET, SOCK_STREAM, 0), "socket");
    checked(bind(listener, (struct sockaddr *)&address, size), "bind");
    checked(listen(listener, 1), "listen");
    checked(getsockname(listener, (struct sockaddr *)&address, &size), "getsockname");
    printf("http://127.0.0.1:%d/\n", ntohs(address.sin_port));
    fflush(stdout);

    static char request[8192], head[8192], piece[PIECE];
    int client = checked(accept(listener, NULL, NULL), "accept");
    checked(recv(client, request, sizeof request - 1, 0), "recv");
    char path[4096] = "";
    if (sscanf(request, "GET %4095s", path) != 1) return 1;

    int origin = checked(socket(AF_INET, SOCK_STREAM, 0), "socket");
    address.sin_port = htons(atoi(words[1]));
    checked(connect(origin, (struct sockaddr *)&address, size), "connect");
    send_all(origin, request, snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path));
    long have = 0;
    char *end = NULL, *field = NULL;
    while (!end) {
        long got = checked(recv(origin, piece + have, sizeof head - 1 - have, 0), "recv");
        if (got == 0) return 1;
        have += got;
        piece[have] = 0;
        end = strstr(piece, "\r\n\r\n");
    }
    field = strcasestr(piece, "content-length:");
    if (!field) return 1;
    long length = atol(field + strlen("content-length:"));
    send_all(client, head, snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %ld\r\n\r\n", length));

    file = checked(open(words[2], O_RDWR | O_CREAT | O_TRUNC, 0600), "open");
    pthread_t syncing;
    pthread_create(&syncing, NULL, synchronize, NULL);
    uint32_t value = 0;
    const char *bytes = end + 4;
    long part = have - (bytes - piece);
    for (long offset = 0; offset < length;) {
        value = checksum(value, bytes, part);
        keep(bytes, part, offset);
        send_all(client, bytes, part);
        offset += part;
        tell(part, offset >= length);
        if (offset >= length) break;
        bytes = piece;
        part = checked(recv(origin, piece, sizeof piece, 0), "recv");
        if (part == 0) return 1;
    }
    close(client);
    pthread_join(syncing, NULL);
    // Said, so that no compiler leaves it out.
    fprintf(stderr, "%08x\n", value);
    return 0;
}
