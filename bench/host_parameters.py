# SPDX-License-Identifier: Apache-2.0
"""What benchmarks share that change this host's kernel parameters and must put them back."""
import fcntl
import os
import pathlib
import sys
import time

LOCK = pathlib.Path("/tmp/hone-host-parameters.lock")  # host_parameters_lock.cc
MOST_WAIT = 600
# What counts or draws by itself.
MOVING = ("/proc/sys/kernel/ns_last_pid", "/proc/sys/kernel/random/uuid", "/proc/sys/kernel/random/entropy_avail",
          "/proc/sys/fs/aio-nr", "/proc/sys/fs/file-nr", "/proc/sys/fs/inode-nr", "/proc/sys/fs/inode-state",
          "/proc/sys/fs/dentry-state")


def read_parameter(path):
    try:
        return path.read_text()
    except OSError:
        return None


def snapshot():
    """Every parameter that can be written, with its text: what a restore must bring back."""
    paths = [path for path in pathlib.Path("/proc/sys").rglob("*") if path.is_file()]
    for folder in ["/sys/kernel/mm/transparent_hugepage", "/sys/block/vda/queue"]:
        paths += [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]
    return {str(path): read_parameter(path) for path in paths if os.stat(path).st_mode & 0o200}


def changes_since(before):
    """What differs from before, but for what moves by itself (two looks tell)."""
    first = snapshot()
    time.sleep(0.2)
    second = snapshot()
    return [path for path, text in before.items()
            if first.get(path) != text and second.get(path) == first.get(path)
            and not path.startswith(MOVING)]


def take_turn(name):
    """The lock that every test holds that changes the host's parameters; lost with the process."""
    if not LOCK.exists():
        LOCK.touch(0o666)
    file = LOCK.open()
    for _ in range(MOST_WAIT * 5):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError:
            time.sleep(0.2)
    print(f"{name}: {LOCK} has been held by another program for {MOST_WAIT} s")
    sys.exit(3)
