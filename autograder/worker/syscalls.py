"""Which system calls a submission may make, by name; a call in none of these lists fails as if unknown.

After a change, `python -m autograder.tests.worker.write_syscall_numbers` writes the numbers anew.
"""

from autograder.worker.syscall_numbers import NUMBERS

# What Python, torch and matplotlib need once they are loaded: files, memory, time and waiting for threads.
ALLOWED = """
    read write readv writev pread64 pwrite64 preadv pwritev close close_range stat fstat lstat newfstatat
    statx lseek mmap mprotect munmap mremap madvise msync brk rt_sigaction rt_sigprocmask rt_sigreturn
    rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack access faccessat faccessat2 pipe pipe2 select
    pselect6 poll ppoll epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd2 dup
    dup2 dup3 fsync fdatasync ftruncate sendfile copy_file_range getdents64 getcwd chdir fchdir rename
    renameat renameat2 mkdir mkdirat rmdir unlink unlinkat link linkat symlink symlinkat readlink readlinkat
    umask gettimeofday time getrlimit getrusage times uname getuid getgid geteuid getegid getresuid getresgid
    getgroups getppid getpgrp getpgid getsid gettid getpid getpriority clock_getres nanosleep sched_yield
    sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min getcpu
    setitimer getitimer alarm futex_waitv set_robust_list get_robust_list rseq set_tid_address exit
    exit_group arch_prctl getrandom membarrier restart_syscall pause recvfrom sendto getsockopt getsockname
    getpeername shutdown
"""
# These are allowed with harmless arguments only, which seccomp.py looks at.
CONDITIONAL = "clock_gettime clock_nanosleep clone futex kill tgkill prctl ioctl prlimit64 fcntl open openat"
# These get EPERM, so that a student reads "not permitted" and not "not implemented". Changes of modes and
# times are here because Landlock does not control them, and truncate because its early versions do not.
# fallocate would fill a disk at once; plain writing takes long enough for the zygote to notice. By locks on a
# file that all may read, by what of it is in memory, and by how much memory or disk is free, two submissions
# that run at the same time could talk.
REFUSED = """
    fork vfork execve execveat socket socketpair bind connect listen accept accept4 sendmsg recvmsg sendmmsg
    recvmmsg ptrace process_vm_readv process_vm_writev kcmp mount umount2 pivot_root chroot unshare setns
    memfd_create memfd_secret io_uring_setup io_uring_enter io_uring_register bpf keyctl add_key request_key
    userfaultfd perf_event_open tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal
    pidfd_getfd shmget shmat shmctl semget msgget mq_open setuid setgid setreuid setregid setresuid setresgid
    setgroups capset personality init_module finit_module delete_module reboot swapon sethostname
    setdomainname quotactl acct settimeofday clock_settime adjtimex name_to_handle_at open_by_handle_at
    fanotify_init inotify_init1 mknod mknodat chown fchown lchown fchownat chmod fchmod fchmodat fchmodat2
    truncate utime utimes futimesat utimensat openat2 setsid setpgid setpriority ioprio_set sched_setscheduler
    sched_setattr modify_ldt open_tree move_mount fsopen fsmount process_madvise seccomp setxattr lsetxattr
    fsetxattr removexattr lremovexattr fremovexattr vmsplice splice tee mbind fallocate flock mincore
    fadvise64 readahead sysinfo statfs fstatfs
"""

# The worker itself makes these to raise its walls; to a submission they look unknown.
LANDLOCK = "landlock_create_ruleset landlock_add_rule landlock_restrict_self"


def numbered(names: str, machine: str) -> dict[str, int]:
    """Return the numbers of those calls that the architecture `machine` has; KeyError if it is unknown."""
    known = NUMBERS[machine]
    return {name: known[name] for name in names.split() if name in known}
