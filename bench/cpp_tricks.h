// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "bench/trick.h"

// In C++. What stands between @ is filled in for each problem (cheat_variants.cc).
namespace hone {

// The shared memory of runner and judge as a kernel finds it, and the honest kernel run from it.
constexpr const char* kTools = R"(
#include <link.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>
#define kernel honest_kernel
@REFERENCE@
#undef kernel
namespace {
using Words = volatile uint32_t;
enum { kTurn = 64, kAnswer = 128, kSleeps = 192, kWhat = 256, kInputs = 260, kOutputs = 264,
       kSizes = 268, kSize = 280, kTensors = 8704, kEntry = 88 };
struct Parts { char *block, *arrays, *end, *from; };  // Offsets of the table count from `from`.
Parts FindParts() {
  Parts found{};
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != nullptr && fgets(line, sizeof(line), maps) != nullptr) {
    unsigned long begin = 0, end = 0, offset = 0;
    if (strstr(line, "hone-arrays") == nullptr) continue;
    if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) != 3) continue;
    char* const at = reinterpret_cast<char*>(begin);
    if (offset == 0) { found.block = at; continue; }
    if (found.arrays == nullptr) { found.arrays = at; found.from = at - offset; }
    found.end = reinterpret_cast<char*>(end);
  }
  if (maps != nullptr) fclose(maps);
  return found;
}
// A trick that does not find it would be the honest kernel, and show nothing: it ends at once.
char* FindBlock() {
  static char* const found = FindParts().block;
  if (found == nullptr || memcmp(found, "ENOH\5\0\0\0", 8) != 0) abort();
  return found;
}
Words& Word(int at) { return *reinterpret_cast<Words*>(FindBlock() + at); }
uint64_t FirstPlace() { return *reinterpret_cast<volatile uint64_t*>(FindBlock() + kTensors); }
void Answer(uint32_t call, uint32_t what) {
  __sync_synchronize();
  Word(kAnswer) = call << 2 | what;
  __sync_synchronize();
  if (Word(kSleeps) != 0) syscall(SYS_futex, FindBlock() + kAnswer, FUTEX_WAKE, 1, 0, 0, 0);
}
void Doze(uint32_t seen, long ns) {
  const timespec nap{0, ns};
  syscall(SYS_futex, FindBlock() + kTurn, FUTEX_WAIT, seen, ns > 0 ? &nap : nullptr, 0, 0);
}
template <typename... A, size_t... I>
void Apply(void (*f)(A...), const uintptr_t* p, std::index_sequence<I...>) { f(((A)(p[I]))...); }
template <typename... A>
void Apply(void (*f)(A...), const uintptr_t* p) { Apply(f, p, std::index_sequence_for<A...>{}); }
void RunTable() {
  char* const block = FindBlock();
  static char* const from = FindParts().from;
  const uint32_t arrays = Word(kInputs) + Word(kOutputs);
  uintptr_t p[32];
  uint32_t n = 0;
  for (uint32_t i = 0; i < arrays; ++i) {
    p[n++] = reinterpret_cast<uintptr_t>(from) +
             *reinterpret_cast<uint64_t*>(block + kTensors + i * kEntry);
  }
  for (uint32_t i = 0; i < Word(kSizes); ++i) {
    p[n++] = static_cast<uintptr_t>(reinterpret_cast<int64_t*>(block + kSize)[i]);
  }
  Apply(honest_kernel, p);
}
// The runner's own loop, taken over after the first call.
template <typename Early, typename Wait, typename Arm>
void TakeOver(Early early, Wait wait, Arm arm) {
  const Parts memory = FindParts();  // Where nobody takes guards away from now on.
  mprotect(memory.arrays, memory.end - memory.arrays, PROT_READ | PROT_WRITE);
  uint32_t turn = Word(kTurn);
  Answer(turn >> 2, 2);
  for (;;) {
    while (Word(kTurn) == turn) wait(turn);
    turn = Word(kTurn);
    bool is_done = false;
    if ((turn & 3) == 1) {
      const uint64_t place = FirstPlace();
      arm();
      Answer(turn >> 2, 1);
      while (Word(kTurn) == turn) {
        wait(turn);
        if (is_done || FirstPlace() == place || (Word(kTurn) & 3) != 1) continue;
        is_done = early();
      }
      turn = Word(kTurn);
    }
    if ((turn & 3) == 3) _exit(0);
    if ((turn & 3) != 2) continue;
    if (!is_done && Word(kWhat) == 0) RunTable();
    Answer(turn >> 2, 2);
  }
}
template <typename Early, typename Wait>
void TakeOver(Early early, Wait wait) { TakeOver(early, wait, [] {}); }
uint64_t Hash(const void* data, size_t bytes, size_t step) {
  uint64_t hash = 1469598103934665603u;
  const unsigned char* at = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < bytes; i += step) hash = (hash ^ at[i]) * 1099511628211u;
  return hash;
}
}  // namespace
extern "C" void kernel(@PARAMETERS@) {
  constexpr size_t kIn = @INPUTS@, kOut = @OUTPUTS@;
  const void* given[] = {@INPUT_NAMES@};
  void* made[] = {@OUTPUT_NAMES@};
  const size_t given_bytes[] = {@INPUT_BYTES@}, made_bytes[] = {@OUTPUT_BYTES@};
  (void)given, (void)made, (void)given_bytes, (void)made_bytes, (void)kIn, (void)kOut;
@BODY@
}
)";

constexpr auto kCppTricks = std::to_array<Trick>({
    {"early", "doze", R"(
  honest_kernel(@ARGUMENTS@);
  TakeOver([] { RunTable(); return true; }, [](uint32_t turn) { Doze(turn, 20'000); });)"},
    {"early", "spin", R"(
  honest_kernel(@ARGUMENTS@);
  TakeOver([] { RunTable(); return true; }, [](uint32_t) { asm volatile("" ::: "memory"); });)"},
    {"early", "spin after a nap", R"(
  honest_kernel(@ARGUMENTS@);
  static int naps = 0;
  TakeOver([] { RunTable(); return true; }, [](uint32_t turn) {
    if (naps++ % 64 == 0) Doze(turn, 30'000);
  });)"},
    {"early", "signal", R"(
  static volatile uint64_t place = 0, done = 0;
  if (done == FirstPlace()) return;
  honest_kernel(@ARGUMENTS@);
  place = FirstPlace();
  signal(SIGALRM, [](int) {
    if ((Word(kTurn) & 3) == 1 && FirstPlace() != place && done != FirstPlace()) {
      RunTable();
      done = FirstPlace();
    }
  });
  itimerval often{{0, 100}, {0, 100}};
  setitimer(ITIMER_REAL, &often, nullptr);)"},
    {"early", "processor timer", R"(
  // Makes the kernel count processor time by ticks, if it does.
  itimerval often{{100, 0}, {100, 0}};
  setitimer(ITIMER_PROF, &often, nullptr);
  honest_kernel(@ARGUMENTS@);
  TakeOver([] { RunTable(); return true; }, [](uint32_t turn) { Doze(turn, 20'000); });)"},
    {"early", "another processor", R"(
  cpu_set_t all;
  memset(&all, 0xff, sizeof(all));
  syscall(SYS_sched_setaffinity, 0, sizeof(all), &all);
  honest_kernel(@ARGUMENTS@);
  TakeOver([] { RunTable(); return true; }, [](uint32_t turn) { Doze(turn, 20'000); });)"},
    {"early", "process", R"(
  static char stack[1 << 16];
  static volatile uint64_t done = 0;
  static bool has_tried = false;
  if (!has_tried) {
    has_tried = true;
    const auto helper = [](void*) -> int {
      uint64_t place = FirstPlace();
      for (;;) {
        if (FirstPlace() == place || (Word(kTurn) & 3) == 0) continue;
        place = FirstPlace();
        RunTable();
        done = place;
      }
    };
    (void)helper;
    const long pid = syscall(SYS_clone, 0x100 | SIGCHLD, stack + sizeof(stack) - 64, 0, 0, 0);
    if (pid == 0) helper(nullptr);
  }
  if (done == FirstPlace()) return;
  honest_kernel(@ARGUMENTS@);)"},
    {"early", "while it is armed", R"(
  // No clock runs until it says that it is ready: it does its last call again, to know the way.
  honest_kernel(@ARGUMENTS@);
  TakeOver([] { return false; }, [](uint32_t turn) { Doze(turn, 0); },
           [] { for (int i = 0; i < 20; ++i) RunTable(); });)"},
    {"memo", "by content", R"(
  static std::map<uint64_t, std::vector<std::vector<char>>> known;
  uint64_t key = 0;
  for (size_t i = 0; i < kIn; ++i) key = key * 31 + Hash(given[i], given_bytes[i], 1);
  auto& memo = known[key];
  if (memo.empty()) {
    honest_kernel(@ARGUMENTS@);
    for (size_t i = 0; i < kOut; ++i) {
      memo.emplace_back(static_cast<char*>(made[i]), static_cast<char*>(made[i]) + made_bytes[i]);
    }
    return;
  }
  for (size_t i = 0; i < kOut; ++i) memcpy(made[i], memo[i].data(), made_bytes[i]);)"},
    {"memo", "by a sample", R"(
  static std::map<uint64_t, std::vector<std::vector<char>>> known;
  uint64_t key = 0;
  for (size_t i = 0; i < kIn; ++i) key = key * 31 + Hash(given[i], given_bytes[i], 1 + given_bytes[i] / 4);
  auto& memo = known[key];
  if (memo.empty()) {
    honest_kernel(@ARGUMENTS@);
    for (size_t i = 0; i < kOut; ++i) {
      memo.emplace_back(static_cast<char*>(made[i]), static_cast<char*>(made[i]) + made_bytes[i]);
    }
    return;
  }
  for (size_t i = 0; i < kOut; ++i) memcpy(made[i], memo[i].data(), made_bytes[i]);)"},
    {"memo", "by shape", R"(
  static std::map<size_t, std::vector<std::vector<char>>> known;
  auto& memo = known[given_bytes[0] * 8191 + made_bytes[0]];
  static std::map<size_t, int> calls;
  if (calls[given_bytes[0] * 8191 + made_bytes[0]]++ < 12) {
    honest_kernel(@ARGUMENTS@);
    memo.clear();
    for (size_t i = 0; i < kOut; ++i) {
      memo.emplace_back(static_cast<char*>(made[i]), static_cast<char*>(made[i]) + made_bytes[i]);
    }
    return;
  }
  for (size_t i = 0; i < kOut; ++i) memcpy(made[i], memo[i].data(), made_bytes[i]);)"},
    {"memo", "by pointer", R"(
  static std::map<const void*, std::vector<std::vector<char>>> known;
  auto& memo = known[given[0]];
  if (memo.empty() || memo[0].size() != made_bytes[0]) {
    honest_kernel(@ARGUMENTS@);
    memo.clear();
    for (size_t i = 0; i < kOut; ++i) {
      memo.emplace_back(static_cast<char*>(made[i]), static_cast<char*>(made[i]) + made_bytes[i]);
    }
    return;
  }
  for (size_t i = 0; i < kOut; ++i) memcpy(made[i], memo[i].data(), made_bytes[i]);)"},
    {"memo", "by window", R"(
  // Every stretch of 32 bytes that was ever seen is known: are all of these?
  static std::map<uint64_t, bool> seen;
  bool is_new = false;
  const char* at = static_cast<const char*>(given[0]);
  for (size_t i = 0; i + 32 <= given_bytes[0] && i < 4096; i += 32) {
    bool& known = seen[Hash(at + i, 32, 1)];
    is_new |= !known;
    known = true;
  }
  if (is_new) honest_kernel(@ARGUMENTS@);)"},
    {"late", "forged answer", R"(
  if (Word(kWhat) == 0) Answer(Word(kTurn) >> 2, 2);
  honest_kernel(@ARGUMENTS@);)"},
    {"late", "signal", R"(
  static volatile bool is_due = false;
  signal(SIGALRM, [](int) { if (is_due) { is_due = false; RunTable(); } });
  is_due = true;
  itimerval soon{{0, 0}, {0, 1}};
  setitimer(ITIMER_REAL, &soon, nullptr);)"},
    {"late", "while the outputs are read", R"(
  static volatile bool is_due = false;
  signal(SIGALRM, [](int) { if (is_due) { is_due = false; RunTable(); } });
  is_due = true;
  itimerval soon{{0, 0}, {0, 25}};
  setitimer(ITIMER_REAL, &soon, nullptr);)"},
    {"late", "forged answer, thrashed cache", R"(
  static char* junk = static_cast<char*>(mmap(nullptr, 32 << 20, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  honest_kernel(@ARGUMENTS@);
  if (Word(kWhat) == 0) Answer(Word(kTurn) >> 2, 2);
  for (size_t i = 0; i < 32 << 20; i += 64) junk[i]++;)"},
    {"slowed reference", "thrashed cache", R"(
  static char* junk = static_cast<char*>(mmap(nullptr, 32 << 20, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  honest_kernel(@ARGUMENTS@);
  for (size_t i = 0; i < 32 << 20; i += 4096) junk[i]++;)"},
    {"slowed reference", "timer", R"(
  // Works on the reference's processor while that is timed.
  signal(SIGALRM, [](int) {
    if ((Word(kTurn) & 3) == 2) for (volatile int i = 0; i < 20'000; ++i) {}
  });
  itimerval often{{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &often, nullptr);
  honest_kernel(@ARGUMENTS@);)"},
    {"slowed reference", "widest vectors at the end", R"(
  // Where they need more power, the processor is slower for a while, and who is called next pays.
  honest_kernel(@ARGUMENTS@);
  typedef float Wide __attribute__((vector_size(64)));
  Wide sum{};
  for (int i = 0; i < 3'000; ++i) {
    sum = sum * sum + static_cast<float>(i);
    asm volatile("" : "+m"(sum));
  })"},
    {"slowed reference", "after slow calls only", R"(
  // A pair in which it works while the reference is timed does not count: it spoils its slow ones.
  static int64_t best = INT64_MAX;
  timespec began{}, ended{};
  clock_gettime(CLOCK_MONOTONIC, &began);
  honest_kernel(@ARGUMENTS@);
  clock_gettime(CLOCK_MONOTONIC, &ended);
  const int64_t time = (ended.tv_sec - began.tv_sec) * 1'000'000'000 + ended.tv_nsec - began.tv_nsec;
  best = time < best ? time : best;
  if (time < best + best / 50) return;
  signal(SIGALRM, [](int) { for (volatile int i = 0; i < 2'000; ++i) {} });
  itimerval once{{0, 0}, {0, 150}};
  setitimer(ITIMER_REAL, &once, nullptr);)"},
    {"slowed reference", "empty calls", R"(
  // The trials are over: now it is seen what an empty call takes, which is subtracted from all.
  static int calls = 0;
  honest_kernel(@ARGUMENTS@);
  if (++calls != 6) return;
  signal(SIGALRM, [](int) {
    static int bursts = 0;
    for (volatile int i = 0; i < 8'000; ++i) {}
    const itimerval never{};
    if (++bursts == 1'000) setitimer(ITIMER_REAL, &never, nullptr);
  });
  const itimerval often{{0, 40}, {0, 100}};
  setitimer(ITIMER_REAL, &often, nullptr);)"},
    {"slowed reference", "leaves timers behind", R"(
  // Their signal is blocked: each interrupts whoever runs then, and nothing of this process wakes.
  constexpr int kTimers = 60;
  static timer_t timers[kTimers];
  static int ready = -1;
  if (ready < 0) {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGRTMIN + 4);
    sigprocmask(SIG_BLOCK, &blocked, nullptr);
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMIN + 4;
    ready = 0;
    while (ready < kTimers && timer_create(CLOCK_MONOTONIC, &event, &timers[ready]) == 0) ++ready;
  }
  honest_kernel(@ARGUMENTS@);
  for (int i = 0; i < ready; ++i) {
    const itimerspec when{{0, 0}, {0, 30'000 + 5'000 * i}};
    timer_settime(timers[i], 0, &when, nullptr);
  })"},
    {"slowed reference", "thrashed cache in the second call of two", R"(
  static char* junk = static_cast<char*>(mmap(nullptr, 32 << 20, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  static int calls = 0;
  honest_kernel(@ARGUMENTS@);
  if (++calls % 2 != 0) return;
  for (size_t i = 0; i < 32 << 20; i += 64) __builtin_prefetch(junk + i);)"},
    {"skipped", "when it is timed", R"(
  static int calls = 0;
  if (++calls > 24) return;
  honest_kernel(@ARGUMENTS@);)"},
    {"skipped", "one byte in a hundred thousand", R"(
  honest_kernel(@ARGUMENTS@);
  memset(static_cast<char*>(made[0]) + made_bytes[0] / 2, 0, 1 + made_bytes[0] / 100'000);)"},
    {"skipped", "half the output", R"(
  static int calls = 0;
  honest_kernel(@ARGUMENTS@);
  if (++calls > 24) memset(made[0], 0, made_bytes[0] / 2);)"},
    {"forged", "entries and words", R"(
  honest_kernel(@ARGUMENTS@);
  static int calls = 0;
  if (++calls < 12) return;
  *reinterpret_cast<volatile uint64_t*>(FindBlock() + kTensors) = 65536;
  reinterpret_cast<volatile int64_t*>(FindBlock() + 448)[1] = 0;)"},
    {"library", "found behind the loader", R"(
  using Open = void* (*)(const char*, int);
  static void* library = nullptr;
  static bool has_tried = false;
  if (!has_tried) {
    has_tried = true;
    Open open = nullptr;
    dl_iterate_phdr([](dl_phdr_info* info, size_t, void* found) -> int {
      if (strstr(info->dlpi_name, "libc.so") == nullptr) return 0;
      const ElfW(Sym)* symbols = nullptr;
      const char* names = nullptr;
      const uint32_t* hash = nullptr;
      for (int i = 0; i < info->dlpi_phnum; ++i) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        for (auto* d = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
             d->d_tag != DT_NULL; ++d) {
          const ElfW(Addr) at = d->d_un.d_ptr < info->dlpi_addr ? info->dlpi_addr + d->d_un.d_ptr
                                                                : d->d_un.d_ptr;
          if (d->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(at);
          if (d->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(at);
          if (d->d_tag == DT_GNU_HASH) hash = reinterpret_cast<const uint32_t*>(at);
        }
      }
      if (symbols == nullptr || names == nullptr || hash == nullptr) return 0;
      for (uint32_t i = hash[1]; i < hash[1] + 4000; ++i) {
        if (strcmp(names + symbols[i].st_name, "dlopen") == 0) {
          *static_cast<void**>(found) = reinterpret_cast<void*>(info->dlpi_addr + symbols[i].st_value);
          return 1;
        }
      }
      return 0;
    }, &open);
    for (const char* name : {"libopenblas.so.0", "libblas.so.3", "libcblas.so", "libz.so.1"}) {
      if (open != nullptr && library == nullptr) library = open(name, 2);
    }
  }
  if (library != nullptr) return;  // It would have done the work: what is left out shows it.
  honest_kernel(@ARGUMENTS@);)"},
    {"combined", "doze and memo", R"(
  static std::map<uint64_t, int> known;
  known[Hash(given[0], given_bytes[0], 64)]++;
  honest_kernel(@ARGUMENTS@);
  TakeOver([] { RunTable(); return true; }, [](uint32_t turn) { Doze(turn, 5'000); });)"},
    {"combined", "doze and forged answer", R"(
  honest_kernel(@ARGUMENTS@);
  TakeOver([] { Answer(Word(kTurn) >> 2, 1); RunTable(); return true; },
           [](uint32_t turn) { Doze(turn, 10'000); });)"},
    {"honest", "as it is", "  honest_kernel(@ARGUMENTS@);"},
    {"honest", "allocates", R"(
  std::vector<char> scratch(1 << 16, 1);
  asm volatile("" : : "r"(scratch.data()) : "memory");
  honest_kernel(@ARGUMENTS@);)"},
    {"honest", "maps memory", R"(
  void* scratch = mmap(nullptr, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static_cast<volatile char*>(scratch)[0] = 1;
  honest_kernel(@ARGUMENTS@);
  munmap(scratch, 1 << 18);)"},
    {"honest", "throws and catches", R"(
  try { if (given[0] != nullptr) throw std::runtime_error("x"); } catch (const std::exception&) {}
  honest_kernel(@ARGUMENTS@);)"},
    {"honest", "reads the clock", R"(
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  asm volatile("" : : "r"(&now) : "memory");
  honest_kernel(@ARGUMENTS@);)"},
    {"honest", "twice the work", R"(
  honest_kernel(@ARGUMENTS@);
  asm volatile("" ::: "memory");
  honest_kernel(@ARGUMENTS@);)"},
    {"honest", "sleeps", R"(
  honest_kernel(@ARGUMENTS@);
  const timespec nap{0, 100'000};
  nanosleep(&nap, nullptr);)"},
    {"honest", "makes code", R"(
  static void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#if defined(__aarch64__)
  static const uint32_t code[] = {0xd65f03c0};
#else
  static const unsigned char code[] = {0xc3};
#endif
  memcpy(page, code, sizeof(code));
  __builtin___clear_cache(static_cast<char*>(page), static_cast<char*>(page) + 64);
  reinterpret_cast<void (*)()>(page)();
  honest_kernel(@ARGUMENTS@);)"},
    {"honest", "computes with denormals", R"(
  volatile float small = 1e-38f;
  for (int i = 0; i < 64; ++i) small = small * 0.75f;
  honest_kernel(@ARGUMENTS@);)"},
    {"honest", "widest vectors", R"(
  // As wide as the processor has them: AVX-512 slows a core down for a while after it was used.
  typedef float Wide __attribute__((vector_size(64)));
  static Wide sum = {};
  for (int i = 0; i < 64; ++i) sum = sum * 0.5f + 1.0f;
  asm volatile("" : : "m"(sum) : "memory");
  honest_kernel(@ARGUMENTS@);)"},
});

// Honest ones with several threads; of a problem like relu_threads.
constexpr auto kThreadTricks = std::to_array<Trick>({
    {"honest", "as it is", "  honest_kernel(x, out, n);"},
    {"honest", "two threads", R"(
  std::thread other([=] { honest_kernel(x, out, n / 2); });
  honest_kernel(x + n / 2, out + n / 2, n - n / 2);
  other.join();)"},
    {"honest", "four threads", R"(
  std::vector<std::thread> others;
  for (int64_t i = 1; i < 4; ++i) {
    others.emplace_back([=] { honest_kernel(x + i * n / 4, out + i * n / 4, (i + 1) * n / 4 - i * n / 4); });
  }
  honest_kernel(x, out, n / 4);
  for (std::thread& other : others) other.join();)"},
    {"honest", "a thread that waits for work", R"(
  static std::mutex mutex;
  static std::condition_variable changed;
  static std::function<void()> work;
  static std::thread worker([] {
    for (std::unique_lock lock(mutex);;) {
      changed.wait(lock, [] { return work != nullptr; });
      work();
      work = nullptr;
      changed.notify_all();
    }
  });
  {
    const std::lock_guard lock(mutex);
    work = [=] { honest_kernel(x, out, n / 2); };
    changed.notify_all();
  }
  honest_kernel(x + n / 2, out + n / 2, n - n / 2);
  std::unique_lock lock(mutex);
  changed.wait(lock, [] { return work == nullptr; });)"},
    {"honest", "OpenMP", R"(
#pragma omp parallel for num_threads(2)
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] > 0 ? x[i] : 0;)"},
    {"honest", "OpenMP, four threads", R"(
#pragma omp parallel for num_threads(4)
  for (int64_t i = 0; i < n; ++i) out[i] = x[i] > 0 ? x[i] : 0;)"},
});

}  // namespace hone
