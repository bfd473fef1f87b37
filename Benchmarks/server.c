// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/* The least that a server of files must do.
 *
 *     server FOLDER [SECOND]
 *
 * Prints its URL, and answers GET requests, also for one range, until it is ended. One thread waits for all connections.
 * It receives a request, opens the file, and sends the head with the bytes: by sendfile for a range, whose file stays
 * open for the next request, or with one copy for a whole file. With a second folder it also reads the file of the same
 * name there before, as weir reads a journal.
 */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_WHOLE = 64 << 10, HEAD = 512 };

static int folder, second = -1;
static char open_path[4096];
static int open_file = -1;
static long open_size;

static long checked(long result, const char *what) {
    if (result < 0) {
        perror(what);
        exit(1);
    }
    return result;
}

static void send_all(int to, const char *bytes, long count, int flags) {
    while (count > 0) {
        long sent = checked(send(to, bytes, count, flags), "send");
        bytes += sent;
        count -= sent;
    }
}

static int opened(const char *path, long *size) {
    int file = checked(openat(folder, path, O_RDONLY | O_CLOEXEC), "open");
    struct stat status;
    checked(fstat(file, &status), "fstat");
    *size = status.st_size;
    return file;
}

static void answer_range(int client, const char *path, long first, long last) {
    if (strcmp(path, open_path) != 0) {
        if (open_file >= 0) close(open_file);
        open_file = opened(path, &open_size);
        strcpy(open_path, path);
    }
    char head[HEAD];
    off_t offset = first;
    long count = last - first + 1;
    int size = snprintf(head, sizeof head,
        "HTTP/1.1 206 Partial Content\r\nContent-Length: %ld\r\nContent-Range: bytes %ld-%ld/%ld\r\n\r\n",
        count, first, last, open_size);
    send_all(client, head, size, MSG_MORE);
    while (count > 0) {
        long sent = checked(sendfile(client, open_file, &offset, count), "sendfile");
        if (sent == 0) exit(1);
        count -= sent;
    }
}

static void answer_whole(int client, const char *path) {
    static char bytes[HEAD + LARGEST_WHOLE];
    if (second >= 0) {
        int journal = checked(openat(second, path, O_RDONLY | O_CLOEXEC), "open");
        checked(pread(journal, bytes, sizeof bytes, 0), "pread");
        close(journal);
    }
    long size;
    int file = opened(path, &size);
    if (size > LARGEST_WHOLE) exit(1);
    int head = snprintf(bytes, HEAD, "HTTP/1.1 200 OK\r\nContent-Length: %ld\r\n\r\n", size);
    checked(pread(file, bytes + head, size, 0), "pread");
    close(file);
    send_all(client, bytes, head + size, 0);
}

static void answer(int client, const char *request) {
    char path[4096];
    long first, last;
    if (sscanf(request, "GET /%4095s", path) != 1) exit(1);
    const char *range = strcasestr(request, "\nrange: bytes=");
    if (range && sscanf(range + 14, "%ld-%ld", &first, &last) == 2) answer_range(client, path, first, last);
    else answer_whole(client, path);
}

int main(int count, char **words) {
    if (count < 2 || count > 3) {
        fprintf(stderr, "server FOLDER [SECOND]\n");
        return 2;
    }
    folder = checked(open(words[1], O_RDONLY | O_DIRECTORY), words[1]);
    if (count == 3) second = checked(open(words[2], O_RDONLY | O_DIRECTORY), words[2]);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int listener = checked(socket(AF_INET, SOCK_STREAM, 0), "socket"), one = 1;
    checked(bind(listener, (struct sockaddr *)&address, size), "bind");
    checked(listen(listener, 128), "listen");
    checked(getsockname(listener, (struct sockaddr *)&address, &size), "getsockname");
    printf("http://127.0.0.1:%d/\n", ntohs(address.sin_port));
    fflush(stdout);
    int poll = checked(epoll_create1(0), "epoll_create1");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[64];
    checked(epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event), "epoll_ctl");
    while (1) {
        int ready = checked(epoll_wait(poll, events, 64, -1), "epoll_wait");
        for (int index = 0; index < ready; index++) {
            int client = events[index].data.fd;
            if (client == listener) {
                client = checked(accept4(listener, NULL, NULL, SOCK_CLOEXEC), "accept");
                checked(setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one), "setsockopt");
                event = (struct epoll_event){.events = EPOLLIN, .data.fd = client};
                checked(epoll_ctl(poll, EPOLL_CTL_ADD, client, &event), "epoll_ctl");
                continue;
            }
            // A client of a benchmark sends one request at a time, in one piece.
            char request[8192];
            long got = recv(client, request, sizeof request - 1, 0);
            if (got <= 0) {
                close(client);
                continue;
            }
            request[got] = 0;
            answer(client, request);
        }
    }
}
