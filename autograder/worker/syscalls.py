"""The system calls a submission may make, and those that it is refused, with their numbers.

Each entry is a name and its number on x86-64 and on aarch64; `-` means that the architecture has no such
call. What stands in no table is answered as if the kernel did not know it.
"""

import platform

_ARCHITECTURES = {"x86_64": 1, "aarch64": 2}

# Files, memory, time, threads' waiting: what Python, torch and matplotlib need once they are loaded.
_ALLOWED = """
    read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68, preadv 295 69,
    pwritev 296 70, close 3 57, close_range 436 436, stat 4 -,
    fstat 5 80, lstat 6 -, newfstatat 262 79, statx 332 291, statfs 137 43, fstatfs 138 44, lseek 8 62,
    mmap 9 222, mprotect 10 226, munmap 11 215, mremap 25 216, madvise 28 233, msync 26 227,
    mincore 27 232, brk 12 214, rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139,
    rt_sigpending 127 136, rt_sigtimedwait 128 137, rt_sigsuspend 130 133, sigaltstack 131 132,
    access 21 -, faccessat 269 48, faccessat2 439 439, pipe 22 -, pipe2 293 59, select 23 -,
    pselect6 270 72, poll 7 -, ppoll 271 73, epoll_create 213 -, epoll_create1 291 20, epoll_ctl 233 21,
    epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441, eventfd2 290 19, dup 32 23, dup2 33 -,
    dup3 292 24, flock 73 32, fsync 74 82, fdatasync 75 83, ftruncate 77 46,
    fadvise64 221 223, readahead 187 213, sendfile 40 71, copy_file_range 326 285,
    getdents64 217 61, getcwd 79 17, chdir 80 49, fchdir 81 50, rename 82 -, renameat 264 38,
    renameat2 316 276, mkdir 83 -, mkdirat 258 34, rmdir 84 -, unlink 87 -, unlinkat 263 35, link 86 -,
    linkat 265 37, symlink 88 -, symlinkat 266 36, readlink 89 -, readlinkat 267 78, umask 95 166,
    gettimeofday 96 169, time 201 -,
    getrlimit 97 163, getrusage 98 165, sysinfo 99 179, times 100 153, uname 63 160, getuid 102 174,
    getgid 104 176, geteuid 107 175, getegid 108 177, getresuid 118 148, getresgid 120 150,
    getgroups 115 158, getppid 110 173, getpgrp 111 -, getpgid 121 155, getsid 124 156, gettid 186 178,
    getpid 39 172, getpriority 140 141, clock_gettime 228 113, clock_getres 229 114,
    clock_nanosleep 230 115, nanosleep 35 101, sched_yield 24 124, sched_getaffinity 204 123,
    sched_getparam 143 121, sched_getscheduler 145 120, sched_get_priority_max 146 125,
    sched_get_priority_min 147 126, getcpu 309 168, setitimer 38 103, getitimer 36 102, alarm 37 -,
    futex 202 98, futex_waitv 449 449, set_robust_list 273 99, get_robust_list 274 100, rseq 334 293,
    set_tid_address 218 96, exit 60 93, exit_group 231 94, arch_prctl 158 -, getrandom 318 278,
    membarrier 324 283, restart_syscall 219 128, pause 34 -, recvfrom 45 207, sendto 44 206,
    getsockopt 55 209, getsockname 51 204, getpeername 52 205, shutdown 48 210,
"""
# Allowed only with harmless arguments: see seccomp.py.
_CONDITIONAL = """
    clone 56 220, kill 62 129, tgkill 234 131, prctl 157 167, ioctl 16 29, prlimit64 302 261,
    fcntl 72 25, open 2 -, openat 257 56,
"""
# Answered with EPERM, so that a student reads "not permitted" and not "not implemented". Landlock knows
# nothing of modes and times of files, and early versions of it nothing of truncation. With fallocate a disk
# is full at once; what is written takes time, in which it is seen.
_REFUSED = """
    fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, socket 41 198, socketpair 53 199, bind 49 200,
    connect 42 203, listen 50 201, accept 43 202, accept4 288 242, sendmsg 46 211, recvmsg 47 212,
    sendmmsg 307 269, recvmmsg 299 243, ptrace 101 117, process_vm_readv 310 270,
    process_vm_writev 311 271, kcmp 312 272, mount 165 40, umount2 166 39, pivot_root 155 41,
    chroot 161 51, unshare 272 97, setns 308 268, memfd_create 319 279, memfd_secret 447 447,
    io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427, bpf 321 280, keyctl 250 219,
    add_key 248 217, request_key 249 218, userfaultfd 323 282, perf_event_open 298 241, tkill 200 130,
    rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240, pidfd_open 434 434, pidfd_send_signal 424 424,
    pidfd_getfd 438 438, shmget 29 194, shmat 30 196, shmctl 31 195, semget 64 190, msgget 68 186,
    mq_open 240 180, setuid 105 146, setgid 106 144, setreuid 113 145, setregid 114 143, setresuid 117 147,
    setresgid 119 149, setgroups 116 159, capset 126 91, personality 135 92, init_module 175 105,
    finit_module 313 273, delete_module 176 106, reboot 169 142, swapon 167 224, sethostname 170 161,
    setdomainname 171 162, quotactl 179 60, acct 163 89, settimeofday 164 170, clock_settime 227 112,
    adjtimex 159 171, name_to_handle_at 303 264, open_by_handle_at 304 265, fanotify_init 300 262,
    inotify_init1 294 26, mknod 133 -, mknodat 259 33, chown 92 -, fchown 93 55, lchown 94 -,
    fchownat 260 54, chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, truncate 76 45,
    utime 132 -, utimes 235 -, futimesat 261 -, utimensat 280 88, openat2 437 437,
    setsid 112 157, setpgid 109 154, setpriority 141 140, ioprio_set 251 30,
    sched_setscheduler 144 119, sched_setattr 314 274, modify_ldt 154 -, open_tree 428 428,
    move_mount 429 429, fsopen 430 430, fsmount 432 432, process_madvise 440 440, seccomp 317 277,
    setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7,
    removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, vmsplice 278 75, splice 275 76, tee 276 77,
    mbind 237 235, fallocate 285 47,
"""


class UnknownArchitectureError(Exception):
    """There are no system call numbers for this machine."""


def _numbers(table: str) -> dict[str, int]:
    machine = platform.machine()
    if machine not in _ARCHITECTURES:
        known = " and ".join(_ARCHITECTURES)
        raise UnknownArchitectureError(f"no system call numbers for {machine}, only for {known}")
    column = _ARCHITECTURES[machine]
    entries = [entry.split() for entry in table.replace("\n", " ").split(",") if entry.strip()]
    return {entry[0]: int(entry[column]) for entry in entries if entry[column] != "-"}


def allowed() -> dict[str, int]:
    """Return the calls that are always allowed."""
    return _numbers(_ALLOWED)


def conditional() -> dict[str, int]:
    """Return the calls that are allowed with some arguments."""
    return _numbers(_CONDITIONAL)


def refused() -> dict[str, int]:
    """Return the calls that are refused."""
    return _numbers(_REFUSED)
