// SPDX-License-Identifier: Apache-2.0
// The process that holds one kernel of the cpp backend. It knows nothing that is worth stealing: it
// maps the shared memory, loads the library, and makes one call at a time (call_block.h).
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <exception>

#include "hone/domains/compute/runner/call_block.h"
#include "hone/domains/compute/runner/load_message.h"

namespace hone::compute {
namespace {

constexpr int kMaxParameters = 24;
constexpr int kBadStart = 96;  // Exit status: it was not started by a judge.

uint32_t LoadWord(const uint32_t* word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }
void StoreWord(uint32_t* word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_SEQ_CST); }

void FutexWait(uint32_t* word, uint32_t seen) {
  ::syscall(SYS_futex, word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

void FutexWake(uint32_t* word) { ::syscall(SYS_futex, word, FUTEX_WAKE, 1, nullptr, nullptr, 0); }

int64_t NowNs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

// The message and its two descriptors; false if there is none.
bool Receive(LoadMessage& message, int (&descriptors)[2]) {
  iovec part{&message, sizeof(message)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(descriptors))];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  if (::recvmsg(kRunnerSocket, &header, 0) != ssize_t{sizeof(message)}) return false;
  const cmsghdr* first = CMSG_FIRSTHDR(&header);
  if (first == nullptr || first->cmsg_len != CMSG_LEN(sizeof(descriptors))) return false;
  memcpy(descriptors, CMSG_DATA(first), sizeof(descriptors));
  return message.magic == kLoadMagic && message.version == kBlockVersion;
}

class KernelRunner {
 public:
  explicit KernelRunner(char* memory)
      : memory_(memory), block_(reinterpret_cast<CallBlock*>(memory)) {}

  bool Load(int library, const char* entry_point) {
    if (entry_point[0] == '\0') {
      Answer(0, kAnswerDone);
      return true;
    }
    char path[64];
    ::snprintf(path, sizeof(path), "/proc/self/fd/%d", library);
    void* handle = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) handle = LoadCopy(library);
    if (handle == nullptr) return Fail(::dlerror());
    kernel_ = ::dlsym(handle, entry_point);
    if (kernel_ == nullptr) return Fail("the library has no such entry point");
    ::close(library);
    Answer(0, kAnswerDone);
    return true;
  }

  [[noreturn]] void Serve() {
    uint32_t seen = kTurnRest;
    for (;;) {
      const uint32_t turn = Await(seen);
      seen = turn;
      const uint32_t call = turn >> 2;
      switch (turn & 3) {
        case kTurnArm:
          Answer(call, kAnswerReady);
          break;
        case kTurnCall:
          Answer(call, Run() ? kAnswerDone : kAnswerFailed);
          break;
        case kTurnEnd:
          ::_exit(0);
        default:
          break;
      }
    }
  }

  bool Fail(const char* why) {
    const char* text = why != nullptr ? why : "for no known reason";
    size_t bytes = strlen(text);
    if (bytes > sizeof(block_->error)) bytes = sizeof(block_->error);
    memcpy(block_->error, text, bytes);
    block_->error_bytes = static_cast<uint32_t>(bytes);
    return false;
  }

  void AnswerFailed() { Answer(0, kAnswerFailed); }

 private:
  // Where there is no /proc.
  static void* LoadCopy(int library) {
    const int copy = ::open("kernel.so", O_RDWR | O_CREAT | O_CLOEXEC, 0700);
    char buffer[65536];
    ssize_t got = 0;
    off_t at = 0;
    while ((got = ::pread(library, buffer, sizeof(buffer), at)) > 0) {
      if (::write(copy, buffer, static_cast<size_t>(got)) != got) break;
      at += got;
    }
    ::close(copy);
    return ::dlopen("./kernel.so", RTLD_NOW | RTLD_LOCAL);
  }

  uint32_t Await(uint32_t seen) {
    for (;;) {
      const uint32_t turn = LoadWord(&block_->turn);
      if (turn != seen) return turn;
      FutexWait(&block_->turn, seen);
    }
  }

  void Answer(uint32_t call, uint32_t what) {
    StoreWord(&block_->answer, call << 2 | what);
    if (LoadWord(&block_->judge_sleeps) != 0) FutexWake(&block_->answer);
  }

  bool Run() {
    if (block_->what == kCallNothing) {
      block_->began_ns = block_->ended_ns = NowNs();
      return true;
    }
    const int64_t began = NowNs();
    const bool is_done = RunAll();
    const int64_t ended = NowNs();
    block_->began_ns = began;
    block_->ended_ns = ended;
    return is_done;
  }

  // How a kernel's stack lies to its arrays changes its speed; so it lies anew every time.
  bool RunAll() {
    volatile char* const moved = static_cast<char*>(__builtin_alloca(block_->stack_shift + 1));
    moved[0] = 0;
    for (uint32_t i = 0; i < block_->calls; ++i) {
      if (!RunOne(i)) return false;
    }
    return true;
  }

  bool RunOne(uint32_t number) {
    uintptr_t parameters[kMaxParameters] = {};
    uint32_t count = 0;
    const uint32_t tensors = block_->inputs + block_->outputs;
    const BlockTensor* const own = block_->tensors + size_t{number} * tensors;
    for (uint32_t i = 0; i < tensors && count < kMaxParameters; ++i) {
      parameters[count++] = reinterpret_cast<uintptr_t>(memory_ + own[i].offset);
    }
    for (uint32_t i = 0; i < block_->sizes && count < kMaxParameters; ++i) {
      parameters[count++] = static_cast<uintptr_t>(block_->size[i]);
    }
    return Call(parameters, count);
  }

  bool Call(const uintptr_t* p, uint32_t count) {
    try {
      Dispatch(p, count);
      return true;
    } catch (const std::exception& problem) {
      return Fail(problem.what());
    } catch (...) {
      return Fail("an exception that is not a std::exception");
    }
  }

  // Pointers and 64-bit integers are passed alike, and the caller removes them: a function that
  // takes fewer does not see the rest.
  void Dispatch(const uintptr_t* p, uint32_t count) {
    using P = uintptr_t;
    if (count <= 6) {
      using Six = void (*)(P, P, P, P, P, P);
      return reinterpret_cast<Six>(kernel_)(p[0], p[1], p[2], p[3], p[4], p[5]);
    }
    if (count <= 12) {
      using Twelve = void (*)(P, P, P, P, P, P, P, P, P, P, P, P);
      return reinterpret_cast<Twelve>(kernel_)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8],
                                               p[9], p[10], p[11]);
    }
    using All = void (*)(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P);
    reinterpret_cast<All>(kernel_)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9],
                                   p[10], p[11], p[12], p[13], p[14], p[15], p[16], p[17], p[18],
                                   p[19], p[20], p[21], p[22], p[23]);
  }

  char* memory_;
  CallBlock* block_;
  void* kernel_ = nullptr;
};

int Main() {
  const char ready = 'r';
  if (::send(kRunnerSocket, &ready, 1, 0) != 1) return kBadStart;
  LoadMessage message{};
  int descriptors[2] = {-1, -1};
  if (!Receive(message, descriptors)) return 0;  // The judge has no use for this one.
  const int flags = MAP_SHARED | (message.memory_bytes < kSparseBytes ? MAP_POPULATE : 0);
  void* memory =
      ::mmap(nullptr, message.memory_bytes, PROT_READ | PROT_WRITE, flags, descriptors[0], 0);
  if (memory == MAP_FAILED) return kBadStart;
  ::close(descriptors[0]);
  if (::send(kRunnerSocket, &ready, 1, 0) != 1) return kBadStart;
  ::close(kRunnerSocket);
  message.entry_point[sizeof(message.entry_point) - 1] = '\0';
  KernelRunner runner(static_cast<char*>(memory));
  if (!runner.Load(descriptors[1], message.entry_point)) {
    runner.AnswerFailed();
    return 0;
  }
  runner.Serve();
}

}  // namespace
}  // namespace hone::compute

int main() { return hone::compute::Main(); }
