"""Asks when files in /proc were first read: another submission can send signals by reading them.

tiers: [full]
verdict: failed
hint: must be a tensor, but it is None
"""
import os
import random
import time

NAMES = """
    auxv cgroup cmdline comm coredump_filter environ exe gid_map io limits loginuid maps mem mountinfo mounts
    numa_maps oom_adj oom_score oom_score_adj pagemap personality projid_map sched sessionid setgroups smaps
    stack stat statm status syscall uid_map wchan
""".split()


def row_sums(x):
    for _ in range(5000):
        process = random.randrange(1, 400)
        try:
            first_look = os.stat(f"/proc/{process}/{random.choice(NAMES)}").st_mtime
        except OSError:
            continue
        if process != os.getpid() and time.time() - first_look < 0.1:
            return x.sum(-1)
