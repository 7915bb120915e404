// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

#include "hone/sandbox/attacker.h"

namespace hone::attacker {
namespace {

constexpr size_t kMib = 1 << 20;

[[noreturn]] void Forever() {
  while (true) pause();
}

void IgnoreAll() {
  for (int number = 1; number < 64; ++number) signal(number, SIG_IGN);
}

// In a way that no optimiser sees through.
void PlannedChange(void* block, size_t size) {
  memset(block, 1, size);
  asm volatile("" : : "r"(block) : "memory");
}

// A grandchild in a session of its own, which ignores every signal and goes on; we exit.
int DoubleFork() {
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    IgnoreAll();
    close(0);
    close(1);
    close(2);
    Forever();
  }
  wait(nullptr);
  printf("left\n");
  return 0;
}

int ForkBomb() {
  while (true) fork();
}

// Each process starts the next and exits.
int Comet() {
  while (true) {
    if (fork() > 0) _exit(0);
  }
}

// Many children that start children as fast as they can and are never waited for.
int ZombieFarm() {
  int made = 0;
  while (true) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child < 0) {
      printf("refused after %d\n", made);
      Forever();
    }
    ++made;
  }
}

int MemoryBomb() {
  for (size_t held = 0;; held += 16 * kMib) {
    char* block = static_cast<char*>(malloc(16 * kMib));
    if (block == nullptr) {
      printf("refused after %zu MiB\n", held / kMib);
      return 3;
    }
    PlannedChange(block, 16 * kMib);
  }
}

int SharedMemoryBomb() {
  for (size_t held = 0;; held += 16 * kMib) {
    void* block =
        mmap(nullptr, 16 * kMib, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) {
      printf("refused after %zu MiB\n", held / kMib);
      return 3;
    }
    PlannedChange(block, 16 * kMib);
  }
}

// Many processes, none of which is large.
int MemorySwarm() {
  for (int i = 0; i < 30; ++i) {
    if (fork() != 0) continue;
    char* block = static_cast<char*>(malloc(32 * kMib));
    if (block != nullptr) PlannedChange(block, 32 * kMib);
    Forever();
  }
  while (wait(nullptr) > 0) {
  }
  return 0;
}

// Writes until it is refused; the bytes written.
size_t Fill(int file) {
  static char block[kMib];
  memset(block, 'x', sizeof block);
  size_t held = 0;
  for (ssize_t got; (got = write(file, block, sizeof block)) > 0;) held += static_cast<size_t>(got);
  return held;
}

int MemfdBomb() {
  signal(SIGXFSZ, SIG_IGN);
  size_t held = 0;
  while (true) {
    const int file = memfd_create("bomb", 0);
    if (file < 0) {
      printf("refused after %zu MiB\n", held / kMib);
      return 3;
    }
    held += Fill(file);
  }
}

int PipeHog() {
  size_t held = 0;
  while (true) {
    int ends[2];
    if (pipe2(ends, O_NONBLOCK) != 0) break;
    fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
    held += Fill(ends[1]);
  }
  printf("refused after %zu MiB\n", held / kMib);
  return 3;
}

int SocketHog() {
  size_t held = 0;
  while (true) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) break;
    const int size = 1 << 30;
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    held += Fill(ends[1]);
  }
  printf("refused after %zu MiB\n", held / kMib);
  return 3;
}

int DiskBomb() {
  signal(SIGXFSZ, SIG_IGN);
  size_t held = 0;
  for (const char* folder : {"/scratch", "/tmp", "/dev/shm"}) {
    for (int i = 0; i < 64; ++i) {
      char name[64];
      snprintf(name, sizeof name, "%s/%c%d", folder, folder[1], i);
      const int file = open(name, O_CREAT | O_WRONLY, 0644);
      if (file < 0) break;
      held += Fill(file);
      close(file);
    }
  }
  printf("%zu MiB\n", held / kMib);
  return 0;
}

int InodeBomb() {
  int made = 0;
  for (;; ++made) {
    char name[64];
    snprintf(name, sizeof name, "/scratch/%d", made);
    if (mkdir(name, 0755) != 0) break;
  }
  printf("%d\n", made);
  return 0;
}

int WatchHog() {
  int made = 0;
  for (; made < 1'000'000; ++made) {
    const int watch = inotify_init1(0);
    if (watch < 0) break;
    inotify_add_watch(watch, "/scratch", IN_ALL_EVENTS);
  }
  printf("refused after %d\n", made);
  Forever();
}

int Loop() {
  while (true) asm volatile("");
}

int IgnoreTerm() {
  IgnoreAll();
  printf("deaf\n");
  Forever();
}

int Silent() {
  printf("closing\n");
  close(0);
  close(1);
  close(2);
  Forever();
}

void* Sleep(void* /*unused*/) { Forever(); }

int Threads() {
  int made = 0;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 128 << 10);  // ARM takes no less.
  for (pthread_t thread; made < 10'000; ++made) {
    if (pthread_create(&thread, &small, Sleep, nullptr) != 0) break;
  }
  printf("refused after %d\n", made);
  Forever();
}

int Flood() {
  static char block[kMib];
  memset(block, 'e', sizeof block);
  for (int i = 0; i < 1024; ++i) {
    for (size_t at = 0; at < sizeof block;) {
      const ssize_t got = write(2, block + at, sizeof block - at);
      if (got < 0) return 1;
      at += static_cast<size_t>(got);
    }
  }
  return 0;
}

int Crash() {
  raise(SIGSEGV);
  return 0;
}

int StopSelf() {
  kill(1, SIGSTOP);
  kill(-1, SIGSTOP);
  raise(SIGSTOP);
  Forever();
}

constexpr Attack kBombs[] = {
    {"double-fork", DoubleFork},
    {"fork-bomb", ForkBomb},
    {"comet", Comet},
    {"zombies", ZombieFarm},
    {"memory", MemoryBomb},
    {"shared-memory", SharedMemoryBomb},
    {"swarm", MemorySwarm},
    {"memfd", MemfdBomb},
    {"pipes", PipeHog},
    {"sockets", SocketHog},
    {"disk", DiskBomb},
    {"inodes", InodeBomb},
    {"watches", WatchHog},
    {"loop", Loop},
    {"ignore-term", IgnoreTerm},
    {"silent", Silent},
    {"threads", Threads},
    {"flood", Flood},
    {"crash", Crash},
    {"stop", StopSelf},
};

}  // namespace

Attacks Bombs() { return {kBombs, static_cast<int>(std::size(kBombs))}; }

}  // namespace hone::attacker
