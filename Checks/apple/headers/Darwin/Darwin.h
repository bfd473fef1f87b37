// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// The C library of Apple's systems: POSIX, and what Darwin adds.
//
// To Clang each type and function has another name here than on a Mac, since the C library of Linux, which the
// toolchain loads too, has the name already; to Swift it has its own. What Swift imports by hand is in overlays/Darwin.

#include "../Macros.h"

#include <stddef.h>

typedef long long darwin_off_t SWIFT_NAME(off_t);
typedef unsigned short darwin_mode_t SWIFT_NAME(mode_t);
typedef unsigned short darwin_nlink_t SWIFT_NAME(nlink_t);
typedef int darwin_dev_t SWIFT_NAME(dev_t);
typedef unsigned long long darwin_ino_t SWIFT_NAME(ino_t);
typedef unsigned int darwin_uid_t SWIFT_NAME(uid_t);
typedef unsigned int darwin_gid_t SWIFT_NAME(gid_t);
typedef int darwin_pid_t SWIFT_NAME(pid_t);
typedef unsigned int darwin_socklen_t SWIFT_NAME(socklen_t);
typedef unsigned char darwin_sa_family_t SWIFT_NAME(sa_family_t);
typedef unsigned short darwin_in_port_t SWIFT_NAME(in_port_t);
typedef unsigned int darwin_in_addr_t SWIFT_NAME(in_addr_t);
typedef unsigned int darwin_fsblkcnt_t SWIFT_NAME(fsblkcnt_t);
typedef unsigned int darwin_nfds_t SWIFT_NAME(nfds_t);
typedef unsigned long long darwin_rlim_t SWIFT_NAME(rlim_t);
typedef long darwin_time_t SWIFT_NAME(time_t);

struct darwin_timespec {
    darwin_time_t tv_sec;
    long tv_nsec;
} SWIFT_NAME(timespec);

struct darwin_stat {
    darwin_dev_t st_dev;
    darwin_mode_t st_mode;
    darwin_nlink_t st_nlink;
    darwin_ino_t st_ino;
    darwin_uid_t st_uid;
    darwin_gid_t st_gid;
    darwin_dev_t st_rdev;
    struct darwin_timespec st_atimespec;
    struct darwin_timespec st_mtimespec;
    struct darwin_timespec st_ctimespec;
    struct darwin_timespec st_birthtimespec;
    darwin_off_t st_size;
    long long st_blocks;
    int st_blksize;
    unsigned int st_flags;
    unsigned int st_gen;
} SWIFT_NAME(stat);

struct darwin_dirent {
    unsigned long long d_ino;
    unsigned long long d_seekoff;
    unsigned short d_reclen;
    unsigned short d_namlen;
    unsigned char d_type;
    char d_name[1024];
} SWIFT_NAME(dirent);

typedef struct { int __dd_fd; } darwin_DIR SWIFT_NAME(DIR);

struct darwin_pollfd {
    int fd;
    short events;
    short revents;
} SWIFT_NAME(pollfd);

struct darwin_statvfs {
    unsigned long f_bsize;
    unsigned long f_frsize;
    darwin_fsblkcnt_t f_blocks;
    darwin_fsblkcnt_t f_bfree;
    darwin_fsblkcnt_t f_bavail;
} SWIFT_NAME(statvfs);

struct darwin_rlimit {
    darwin_rlim_t rlim_cur;
    darwin_rlim_t rlim_max;
} SWIFT_NAME(rlimit);

struct darwin_sockaddr {
    unsigned char sa_len;
    darwin_sa_family_t sa_family;
    char sa_data[14];
} SWIFT_NAME(sockaddr);

struct darwin_sockaddr_un {
    unsigned char sun_len;
    darwin_sa_family_t sun_family;
    char sun_path[104];
} SWIFT_NAME(sockaddr_un);

struct darwin_in_addr {
    darwin_in_addr_t s_addr;
} SWIFT_NAME(in_addr);

struct darwin_sockaddr_in {
    unsigned char sin_len;
    darwin_sa_family_t sin_family;
    darwin_in_port_t sin_port;
    struct darwin_in_addr sin_addr;
    char sin_zero[8];
} SWIFT_NAME(sockaddr_in);

struct darwin_in6_addr {
    unsigned char bytes[16];
} SWIFT_NAME(in6_addr);

struct darwin_sockaddr_in6 {
    unsigned char sin6_len;
    darwin_sa_family_t sin6_family;
    darwin_in_port_t sin6_port;
    unsigned int sin6_flowinfo;
    struct darwin_in6_addr sin6_addr;
    unsigned int sin6_scope_id;
} SWIFT_NAME(sockaddr_in6);

struct darwin_addrinfo {
    int ai_flags;
    int ai_family;
    int ai_socktype;
    int ai_protocol;
    darwin_socklen_t ai_addrlen;
    char *_Null_unspecified ai_canonname;
    struct darwin_sockaddr *_Null_unspecified ai_addr;
    struct darwin_addrinfo *_Null_unspecified ai_next;
} SWIFT_NAME(addrinfo);

struct darwin_fstore {
    unsigned int fst_flags;
    int fst_posmode;
    darwin_off_t fst_offset;
    darwin_off_t fst_length;
    darwin_off_t fst_bytesalloc;
} SWIFT_NAME(fstore_t);

struct darwin_fpunchhole {
    unsigned int fp_flags;
    unsigned int reserved;
    darwin_off_t fp_offset;
    darwin_off_t fp_length;
} SWIFT_NAME(fpunchhole_t);

extern void *_Nullable darwin_malloc(size_t) SWIFT_NAME(malloc(_:));
extern void darwin_free(void *_Nullable) SWIFT_NAME(free(_:));
extern int darwin_close(int) SWIFT_NAME(close(_:));
extern long darwin_read(int, void *, size_t) SWIFT_NAME(read(_:_:_:));
extern long darwin_write(int, const void *, size_t) SWIFT_NAME(write(_:_:_:));
extern long darwin_pread(int, void *, size_t, darwin_off_t) SWIFT_NAME(pread(_:_:_:_:));
extern long darwin_pwrite(int, const void *, size_t, darwin_off_t) SWIFT_NAME(pwrite(_:_:_:_:));
extern darwin_off_t darwin_lseek(int, darwin_off_t, int) SWIFT_NAME(lseek(_:_:_:));
extern int darwin_ftruncate(int, darwin_off_t) SWIFT_NAME(ftruncate(_:_:));
extern int darwin_fsync(int) SWIFT_NAME(fsync(_:));
extern int darwin_flock(int, int) SWIFT_NAME(flock(_:_:));
extern int darwin_stat(const char *, struct darwin_stat *) SWIFT_NAME(stat(_:_:));
extern int darwin_lstat(const char *, struct darwin_stat *) SWIFT_NAME(lstat(_:_:));
extern int darwin_fstat(int, struct darwin_stat *) SWIFT_NAME(fstat(_:_:));
extern int darwin_statvfs(const char *, struct darwin_statvfs *) SWIFT_NAME(statvfs(_:_:));
extern int darwin_fstatvfs(int, struct darwin_statvfs *) SWIFT_NAME(fstatvfs(_:_:));
extern int darwin_access(const char *, int) SWIFT_NAME(access(_:_:));
extern int darwin_chmod(const char *, darwin_mode_t) SWIFT_NAME(chmod(_:_:));
extern int darwin_fchmod(int, darwin_mode_t) SWIFT_NAME(fchmod(_:_:));
extern int darwin_mkdir(const char *, darwin_mode_t) SWIFT_NAME(mkdir(_:_:));
extern int darwin_rmdir(const char *) SWIFT_NAME(rmdir(_:));
extern int darwin_unlink(const char *) SWIFT_NAME(unlink(_:));
extern int darwin_link(const char *, const char *) SWIFT_NAME(link(_:_:));
extern int darwin_symlink(const char *, const char *) SWIFT_NAME(symlink(_:_:));
extern long darwin_readlink(const char *, char *, size_t) SWIFT_NAME(readlink(_:_:_:));
extern int darwin_rename(const char *, const char *) SWIFT_NAME(rename(_:_:));
extern darwin_DIR *darwin_opendir(const char *) SWIFT_NAME(opendir(_:));
extern struct darwin_dirent *darwin_readdir(darwin_DIR *) SWIFT_NAME(readdir(_:));
extern int darwin_closedir(darwin_DIR *) SWIFT_NAME(closedir(_:));
extern int darwin_poll(struct darwin_pollfd *, darwin_nfds_t, int) SWIFT_NAME(poll(_:_:_:));
extern char *darwin_strerror(int) SWIFT_NAME(strerror(_:));
extern char *darwin_getenv(const char *) SWIFT_NAME(getenv(_:));
extern darwin_pid_t darwin_getpid(void) SWIFT_NAME(getpid());
extern darwin_uid_t darwin_getuid(void) SWIFT_NAME(getuid());
extern darwin_uid_t darwin_geteuid(void) SWIFT_NAME(geteuid());
extern int darwin_getrlimit(int, struct darwin_rlimit *) SWIFT_NAME(getrlimit(_:_:));
extern int darwin_setrlimit(int, const struct darwin_rlimit *) SWIFT_NAME(setrlimit(_:_:));
extern int darwin_memset_s(void *, size_t, int, size_t) SWIFT_NAME(memset_s(_:_:_:_:));
extern int darwin_raise(int) SWIFT_NAME(raise(_:));
extern darwin_time_t darwin_time(darwin_time_t *) SWIFT_NAME(time(_:));
extern int darwin_socket(int, int, int) SWIFT_NAME(socket(_:_:_:));
extern int darwin_bind(int, const struct darwin_sockaddr *, darwin_socklen_t) SWIFT_NAME(bind(_:_:_:));
extern int darwin_listen(int, int) SWIFT_NAME(listen(_:_:));
extern int darwin_connect(int, const struct darwin_sockaddr *, darwin_socklen_t) SWIFT_NAME(connect(_:_:_:));
extern int darwin_getsockname(int, struct darwin_sockaddr *, darwin_socklen_t *) SWIFT_NAME(getsockname(_:_:_:));
extern int darwin_getaddrinfo(
    const char *_Null_unspecified, const char *_Null_unspecified, const struct darwin_addrinfo *_Null_unspecified,
    struct darwin_addrinfo *_Null_unspecified *_Null_unspecified) SWIFT_NAME(getaddrinfo(_:_:_:_:));
extern void darwin_freeaddrinfo(struct darwin_addrinfo *_Null_unspecified) SWIFT_NAME(freeaddrinfo(_:));
extern long darwin_send(int, const void *, size_t, int) SWIFT_NAME(send(_:_:_:_:));
extern long darwin_recv(int, void *, size_t, int) SWIFT_NAME(recv(_:_:_:_:));
extern int darwin_setsockopt(int, int, int, const void *, darwin_socklen_t) SWIFT_NAME(setsockopt(_:_:_:_:_:));
extern int darwin_getsockopt(int, int, int, void *, darwin_socklen_t *) SWIFT_NAME(getsockopt(_:_:_:_:_:));
extern int darwin_getpeereid(int, darwin_uid_t *, darwin_gid_t *) SWIFT_NAME(getpeereid(_:_:_:));
extern int darwin_open(const char *, int) SWIFT_NAME(open(_:_:));
extern int darwin_open_mode(const char *, int, darwin_mode_t) SWIFT_NAME(open(_:_:_:));
extern int darwin_fcntl(int, int) SWIFT_NAME(fcntl(_:_:));
extern int darwin_fcntl_value(int, int, int) SWIFT_NAME(fcntl(_:_:_:));
extern int darwin_fcntl_pointer(int, int, void *) SWIFT_NAME(fcntl(_:_:_:));
extern unsigned long long darwin_mach_absolute_time(void) SWIFT_NAME(mach_absolute_time());
typedef enum __attribute__((enum_extensibility(open))) {
    DARWIN_CLOCK_REALTIME = 0,
} darwin_clockid_t SWIFT_NAME(clockid_t);
extern int darwin_clock_gettime(darwin_clockid_t, struct darwin_timespec *) SWIFT_NAME(clock_gettime(_:_:));
extern char *_Nullable darwin_realpath(const char *, char *_Nullable) SWIFT_NAME(realpath(_:_:));
extern size_t darwin_strlen(const char *) SWIFT_NAME(strlen(_:));
extern double darwin_sin(double) SWIFT_NAME(sin(_:));
extern double darwin_pow(double, double) SWIFT_NAME(pow(_:_:));
extern double darwin_log2(double) SWIFT_NAME(log2(_:));

#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define EBADF 9
#define EDEADLK 11
#define ENOMEM 12
#define EACCES 13
#define EEXIST 17
#define EXDEV 18
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EMLINK 31
#define EPIPE 32
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define ENOTSUP 45
#define EADDRINUSE 48
#define EADDRNOTAVAIL 49
#define ENETDOWN 50
#define ENETUNREACH 51
#define ECONNABORTED 53
#define ECONNRESET 54
#define ENOBUFS 55
#define ENOTCONN 57
#define ETIMEDOUT 60
#define ECONNREFUSED 61
#define ELOOP 62
#define ENAMETOOLONG 63
#define EHOSTDOWN 64
#define EHOSTUNREACH 65
#define EDQUOT 69
#define ENOLCK 77
#define ENOSYS 78
#define EOPNOTSUPP 102

#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_APPEND 0x00000008
#define O_NOFOLLOW 0x00000100
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_EXCL 0x00000800
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define R_OK (1<<2)
#define W_OK (1<<1)
#define X_OK (1<<0)
#define SEEK_SET 0
#define SEEK_HOLE 3
#define SEEK_DATA 4
#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
#define FD_CLOEXEC 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_PREALLOCATE 42
#define F_RDADVISE 44
#define F_NOCACHE 48
#define F_GETPATH 50
#define F_FULLFSYNC 51
#define F_SETNOSIGPIPE 73
#define F_BARRIERFSYNC 85
#define F_PUNCHHOLE 99
#define POLLIN 0x0001
#define POLLOUT 0x0004
#define RLIMIT_NOFILE 8
#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 30
#define AI_NUMERICHOST 4
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define SOL_SOCKET 0xffff
#define SO_LINGER 0x0080
#define SO_NOSIGPIPE 0x1022
#define MSG_DONTWAIT 0x80
#define SIGPIPE 13
#define SIGINT 2
#define SIGTERM 15
