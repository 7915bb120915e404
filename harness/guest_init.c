// SPDX-License-Identifier: Apache-2.0
// Process 1 of a guest: sets what the task asks for, runs small workloads, and writes one line of
// JSON to a port of its own. It is C, because whoever builds a kernel has a C compiler for it.
//
// Time is read from the processor's own counter by an instruction, not asked of the kernel that is
// being judged; the kernel's clock is told beside it.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "guest.h"

// ---- The counter.

uint64_t Ticks(void) {
#if defined(__x86_64__)
  uint32_t low, high;
  __asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high)::"memory");
  return ((uint64_t)high << 32) | low;
#elif defined(__aarch64__)
  uint64_t now;
  __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(now)::"memory");
  return now;
#elif defined(__riscv)
  uint64_t now;
  __asm__ volatile("fence; rdtime %0" : "=r"(now)::"memory");
  return now;
#else
#error "no counter is known for this processor"
#endif
}

uint64_t ClockNs(void) {
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// ---- What is told. Once, at the end: each byte through a port costs a guest much.

static char told[1024 * 1024];
static size_t told_size;

void Tell(const char* form, ...) {
  va_list list;
  va_start(list, form);
  const int size = vsnprintf(told + told_size, sizeof(told) - told_size, form, list);
  va_end(list);
  if (size > 0) told_size += (size_t)size;
  if (told_size >= sizeof(told)) told_size = sizeof(told) - 1;
}

void End(void) {
  sync();
  reboot(RB_AUTOBOOT);  // With -no-reboot it ends the machine, on every kind of it.
  for (;;) pause();
}

void Fail(const char* what) {
  printf("hone: %s: %s\n", what, strerror(errno));
  fflush(stdout);
  End();
}

// ---- Workloads. Each makes `calls` operations; a number of them is fixed, so that two kernels do
// the same. What they need stands around the timed part.

static int is_missing;  // The kernel has nothing of the kind.

static void Syscalls(long calls) {
  for (long i = 0; i < calls; ++i) syscall(SYS_getppid);
}

static int zero_file;
static char buffer[64 * 1024];
static char echo[64 * 1024];  // What came back: a kernel that loses it is fast.

static void Reads(long calls) {
  for (long i = 0; i < calls; ++i) {
    if (read(zero_file, buffer, 512) != 512) Fail("read");
  }
}

static void Opens(long calls) {
  for (long i = 0; i < calls; ++i) {
    const int file = open("/etc/hone", O_RDONLY);
    if (file < 0) Fail("open");
    close(file);
  }
}

static void Stats(long calls) {
  struct stat status;
  for (long i = 0; i < calls; ++i) {
    if (stat("/etc/hone", &status) != 0) Fail("stat");
  }
}

static void Files(long calls) {
  for (long i = 0; i < calls; ++i) {
    const int file = open("/file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    buffer[16383] = (char)i;
    if (file < 0 || write(file, buffer, 16384) != 16384) Fail("write");
    if (pread(file, echo, 16384, 0) != 16384 || echo[16383] != (char)i) Fail("pread");
    close(file);
    if (unlink("/file") != 0) Fail("unlink");
  }
}

static void Forks(long calls) {
  for (long i = 0; i < calls; ++i) {
    const pid_t child = fork();
    if (child < 0) Fail("fork");
    if (child == 0) _exit((int)(i & 63));
    int status = 0;
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != (i & 63)) Fail("waitpid");
  }
}

static void Execs(long calls) {
  char* const arguments[] = {(char*)"/init", (char*)"--nothing", NULL};
  char* const environment[] = {NULL};
  for (long i = 0; i < calls; ++i) {
    const pid_t child = fork();
    if (child < 0) Fail("fork");
    if (child == 0) {
      execve("/init", arguments, environment);
      _exit(1);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) Fail("execve");
  }
}

static void Pipes(long calls) {
  int ends[2];
  if (pipe(ends) != 0) Fail("pipe");
  for (long i = 0; i < calls; ++i) {
    buffer[511] = (char)i;
    if (write(ends[1], buffer, 512) != 512 || read(ends[0], echo, 512) != 512) Fail("pipe");
    if (echo[511] != (char)i) Fail("pipe");
  }
  close(ends[0]);
  close(ends[1]);
}

// A byte goes to and fro between two processes.
static void Switches(long calls) {
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0) Fail("pipe");
  const pid_t child = fork();
  if (child < 0) Fail("fork");
  char byte = 0;
  if (child == 0) {
    for (long i = 0; i < calls; ++i) {
      if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1) _exit(1);
    }
    _exit(0);
  }
  for (long i = 0; i < calls; ++i) {
    if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) Fail("switch");
  }
  waitpid(child, NULL, 0);
  close(there[0]);
  close(there[1]);
  close(back[0]);
  close(back[1]);
}

static void Faults(long calls) {
  const long page = sysconf(_SC_PAGESIZE);
  const long pages = 64;
  for (long i = 0; i < calls; i += pages) {
    char* memory = mmap(NULL, (size_t)(pages * page), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) Fail("mmap");
    for (long k = 0; k < pages; ++k) memory[k * page] = 1;
    munmap(memory, (size_t)(pages * page));
  }
}

static void Maps(long calls) {
  for (long i = 0; i < calls; ++i) {
    void* memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) Fail("mmap");
    munmap(memory, 65536);
  }
}

static void Sockets(long calls) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
    is_missing = 1;  // A kernel without sockets is not a broken one.
    return;
  }
  for (long i = 0; i < calls; ++i) {
    buffer[1023] = (char)i;
    if (send(ends[0], buffer, 1024, 0) != 1024 || recv(ends[1], echo, 1024, 0) != 1024)
      Fail("socket");
    if (echo[1023] != (char)i) Fail("socket");
  }
  close(ends[0]);
  close(ends[1]);
}

static volatile sig_atomic_t signals;
static void OnSignal(int number) {
  (void)number;
  ++signals;
}

static void Signals(long calls) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = OnSignal;
  sigaction(SIGUSR1, &action, NULL);
  const pid_t self = getpid();
  const sig_atomic_t before = signals;
  for (long i = 0; i < calls; ++i) kill(self, SIGUSR1);
  if (signals - before != calls) Fail("signal");
}

static void Epolls(long calls) {
  int ends[2];
  const int epoll = epoll_create1(0);
  if (epoll < 0) {
    is_missing = 1;
    return;
  }
  if (pipe(ends) != 0 || write(ends[1], buffer, 1) != 1) Fail("pipe");
  struct epoll_event event = {.events = EPOLLIN};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) != 0) Fail("epoll_ctl");
  for (long i = 0; i < calls; ++i) {
    if (epoll_wait(epoll, &event, 1, 0) != 1) Fail("epoll_wait");
  }
  close(epoll);
  close(ends[0]);
  close(ends[1]);
}

static void Futexes(long calls) {
  static int word;
  for (long i = 0; i < calls; ++i) {
    const long woken = syscall(SYS_futex, &word, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0);
    if (woken != 0) {
      if (errno == ENOSYS) {
        is_missing = 1;
        return;
      }
      Fail("futex");
    }
  }
}

static void Yields(long calls) {
  for (long i = 0; i < calls; ++i) sched_yield();
}

struct Workload {
  const char* name;
  void (*run)(long calls);
  long calls;
};

static const struct Workload kWorkloads[] = {
    {"syscall", Syscalls, 20000}, {"read", Reads, 4000},   {"open", Opens, 1000},
    {"stat", Stats, 1500},        {"file", Files, 150},    {"fork", Forks, 40},
    {"exec", Execs, 20},          {"pipe", Pipes, 2000},   {"switch", Switches, 500},
    {"fault", Faults, 2048},      {"mmap", Maps, 1000},    {"socket", Sockets, 1000},
    {"signal", Signals, 1500},    {"epoll", Epolls, 3000}, {"futex", Futexes, 5000},
    {"yield", Yields, 2000}};

static void RunWorkload(const struct Workload* workload) {
  Tell("%s\"%s\":", told[told_size - 1] == '{' ? "" : ",", workload->name);
  is_missing = 0;
  workload->run(workload->calls / 10 + 1);  // What happens only once is done.
  const uint64_t clock_before = ClockNs();
  const uint64_t before = Ticks();
  workload->run(workload->calls);
  const uint64_t after = Ticks();
  const uint64_t clock_after = ClockNs();
  if (is_missing) return Tell("null");
  Tell("{\"calls\":%ld,\"ticks\":%llu,\"clock_ns\":%llu}", workload->calls,
       (unsigned long long)(after - before), (unsigned long long)(clock_after - clock_before));
}

// ---- The task: lines of /etc/hone, "nonce TEXT", "run NAME", "set PATH VALUE", those of commands,
// and "wait" with any word, which never ends.

static char task[64 * 1024];

static void ReadTask(void) {
  const int file = open("/etc/hone", O_RDONLY);
  if (file < 0) Fail("/etc/hone");
  size_t size = 0;
  for (ssize_t got; size < sizeof(task) - 1; size += (size_t)got) {
    got = read(file, task + size, sizeof(task) - 1 - size);
    if (got <= 0) break;
  }
  task[size] = 0;
  close(file);
}

static void Set(const char* path, const char* value) {
  const int file = open(path, O_WRONLY);
  if (file < 0 || write(file, value, strlen(value)) < 0) Fail(path);
  close(file);
}

static void RunNamed(const char* name) {
  for (size_t i = 0; i < sizeof(kWorkloads) / sizeof(kWorkloads[0]); ++i) {
    if (strcmp(name, "all") == 0 || strcmp(name, kWorkloads[i].name) == 0)
      RunWorkload(&kWorkloads[i]);
  }
}

// The value in KiB of a line of /proc/meminfo; -1 if there is none.
static long Memory(const char* name) {
  FILE* file = fopen("/proc/meminfo", "r");
  if (file == NULL) return -1;
  char line[256];
  long found = -1;
  while (fgets(line, sizeof(line), file) != NULL) {
    if (strncmp(line, name, strlen(name)) == 0) found = atol(line + strlen(name) + 1);
  }
  fclose(file);
  return found;
}

// For a person at the console: a shell whose terminal is that device, until it is left.
static void RunShell(const char* device) {
  char path[64];
  snprintf(path, sizeof(path), "/dev/%s", device);
  for (int round = 0; round < 2; ++round) {
    const pid_t child = fork();
    if (child == 0 && round == 0) {
      execl("/bin/busybox", "busybox", "--install", "-s", "/bin", (char*)NULL);
      _exit(127);
    }
    if (child == 0) {
      setsid();  // The terminal that is opened next is its own.
      const int terminal = open(path, O_RDWR);
      for (int i = 0; terminal >= 0 && i < 3; ++i) dup2(terminal, i);
      setenv("PATH", "/bin", 1);
      setenv("TERM", "vt100", 1);
      execl("/bin/busybox", "sh", (char*)NULL);
      Fail("/bin/busybox");
    }
    if (child < 0 || waitpid(child, NULL, 0) < 0) Fail("shell");
  }
  End();
}

static void DoTask(void) {
  char* save = NULL;
  for (char* line = strtok_r(task, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
    char* word = strchr(line, ' ');
    if (word == NULL) continue;
    *word++ = 0;
    if (strcmp(line, "run") == 0) RunNamed(word);
    if (strcmp(line, "shell") == 0) RunShell(word);
    if (strcmp(line, "wait") == 0) {
      for (;;) pause();
    }
    DoCommandLine(line, word);
    if (strcmp(line, "set") != 0) continue;
    char* value = strchr(word, ' ');
    if (value == NULL) continue;
    *value++ = 0;
    Set(word, value);
  }
}

static const char* NonceOf(const char* text) {
  static char nonce[65];
  const char* found = strstr(text, "nonce ");
  if (found == NULL) return "";
  size_t size = strcspn(found + 6, "\n");
  if (size > 64) size = 64;
  memcpy(nonce, found + 6, size);
  return nonce;
}

// The port that the host listens to. It may take the kernel a moment to make it.
static int OpenPort(void) {
  for (int i = 0; i < 200; ++i) {
    const int port = open("/dev/vport0p1", O_WRONLY);
    if (port >= 0) return port;
    const struct timespec moment = {0, 10 * 1000 * 1000};
    nanosleep(&moment, NULL);
  }
  return -1;
}

// A kernel that has its drivers as modules gets them in /modules, named in their order.
static void LoadModules(void) {
  struct dirent** found = NULL;
  const int count = scandir("/modules", &found, NULL, alphasort);
  for (int i = 0; i < count; ++i) {
    char path[300];
    snprintf(path, sizeof(path), "/modules/%s", found[i]->d_name);
    const int file = found[i]->d_name[0] == '.' ? -1 : open(path, O_RDONLY);
    if (file >= 0 && syscall(SYS_finit_module, file, "", 0) != 0) Fail(path);
    if (file >= 0) close(file);
  }
}

static void WriteAll(int port, const char* text, size_t size) {
  while (size > 0) {
    const ssize_t written = write(port, text, size);
    if (written <= 0) Fail("the port");
    text += written;
    size -= (size_t)written;
  }
}

static uint64_t TicksPerSecond(void) {
#if defined(__aarch64__)
  uint64_t rate;
  __asm__("mrs %0, cntfrq_el0" : "=r"(rate));
  return rate;
#elif defined(__x86_64__)
  // Where KVM says how fast its counter is, in kHz; TCG has no such leaf.
  uint32_t last, rate, b, c, d;
  __cpuid(0x40000000, last, b, c, d);
  if (last < 0x40000010) return 0;
  __cpuid(0x40000010, rate, b, c, d);
  return (uint64_t)rate * 1000;
#else
  return 0;  // The host knows.
#endif
}

int main(int count, char** arguments) {
  const uint64_t began = Ticks();
  if (count > 1 && strcmp(arguments[1], "--nothing") == 0) return 0;
  mkdir("/proc", 0755);
  mkdir("/sys", 0755);
  mkdir("/dev", 0755);
  mount("proc", "/proc", "proc", 0, NULL);
  mount("sysfs", "/sys", "sysfs", 0, NULL);
  mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
  zero_file = open("/dev/zero", O_RDONLY);
  LoadModules();
  const int port = OpenPort();
  if (port < 0) Fail("no port to the host");
  ReadTask();
  Tell("{\"nonce\":\"%s\",\"booted\":%llu,\"booted_clock_ns\":%llu,\"ticks_per_second\":%llu,",
       NonceOf(task), (unsigned long long)began, (unsigned long long)ClockNs(),
       (unsigned long long)TicksPerSecond());
  Tell("\"memory_total_kib\":%ld,\"memory_free_kib\":%ld,", Memory("MemTotal:"),
       Memory("MemFree:"));
  Tell("\"workloads\":{");
  DoTask();
  Tell("}");
  TellMeasured();
  Tell("}\n");
  WriteAll(port, told, told_size);
  close(port);
  End();
}
