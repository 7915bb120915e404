// SPDX-License-Identifier: Apache-2.0
// The process that holds one kernel of the cpp backend. It knows nothing that is worth stealing: it
// maps the shared memory, loads the library, and makes one call at a time (call_block.h).
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <exception>

#include "hone/domains/compute/runner/call_block.h"
#include "hone/domains/compute/runner/entry_call.h"
#include "hone/domains/compute/runner/load_message.h"
#include "hone/domains/compute/runner/turn_taking.h"

namespace hone::compute {
namespace {

constexpr uint64_t kForbiddenBytes = 16 << 20;      // Before the arrays.
constexpr uint64_t kFarBytes = uint64_t{64} << 30;  // Farther than an index of 32 bits reaches.

// The file that the judge shares, mapped in two parts: the block lies far from the arrays, and what
// lies before these cannot be touched. An index that is wrong by much ends the process then. It
// must not reach control words: whoever writes those is accused of it.
struct SharedFile {
  CallBlock* block = nullptr;
  char* memory = nullptr;  // An offset of the file counts from here. Mapped are the arrays alone.
  uint64_t bytes = 0;      // Of the file.

  char* arrays() const { return memory + kBlockBytes; }
  char* end() const { return memory + bytes; }
};

char* Reserve(uint64_t bytes) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const at = ::mmap(nullptr, bytes, PROT_NONE, kFlags, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
}

// A null block: it cannot be.
SharedFile MapShared(int file, uint64_t bytes) {
  const auto map = [&](char* at, uint64_t size, uint64_t offset, int more) {
    const int flags = MAP_SHARED | more | (bytes < kSparseBytes ? MAP_POPULATE : 0);
    return ::mmap(at, size, PROT_READ | PROT_WRITE, flags, file, static_cast<off_t>(offset));
  };
  const uint64_t array_bytes = bytes - kBlockBytes;
  char* place = Reserve(kForbiddenBytes + array_bytes);
  if (place != nullptr) {
    place += kForbiddenBytes;
  } else {  // Addresses are limited here.
    place = Reserve(bytes);
    if (place == nullptr) return {};
  }
  if (array_bytes > 0 && map(place, array_bytes, kBlockBytes, MAP_FIXED) == MAP_FAILED) return {};
  void* const block = map(place - kFarBytes, kBlockBytes, 0, 0);  // Elsewhere, if that is taken.
  if (block == MAP_FAILED) return {};
  return {static_cast<CallBlock*>(block), place - kBlockBytes, bytes};
}

// Says where in the shared memory the process died of touching it, if it did, and lets it die.
class DeathNote {
 public:
  static void Keep(const SharedFile& file) {
    shared = file;
    struct sigaction action {};
    action.sa_sigaction = Write;
    action.sa_flags = SA_SIGINFO | static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGSEGV, &action, nullptr);
  }

 private:
  static void Write(int signal, siginfo_t* info, void*) {
    if (info->si_code <= 0) {  // Somebody sent it, and nothing is done again that would die of it.
      ::raise(signal);
      return;
    }
    const auto* const at = static_cast<const char*>(info->si_addr);
    if (at < shared.arrays() || at >= shared.end()) return;
    shared.block->fault_offset = static_cast<uint64_t>(at - shared.memory);
  }

  inline static SharedFile shared;
};

class KernelRunner {
 public:
  explicit KernelRunner(const SharedFile& shared)
      : memory_(shared.memory), bytes_(shared.bytes), block_(shared.block) {}

  bool Load(int library, const char* entry_point) {
    if (entry_point[0] == '\0') {
      Answer(*block_, 0, kAnswerDone);
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
    Answer(*block_, 0, kAnswerDone);
    return true;
  }

  [[noreturn]] void Serve() {
    TakeTurns(
        *block_, false, [this] { Prepare(); }, [this] { return Run(); });
  }

  bool Fail(const char* why) {
    SayError(*block_, why != nullptr ? why : "for no known reason");
    return false;
  }

  void AnswerFailed() { Answer(*block_, 0, kAnswerFailed); }

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

  void Prepare() {
    for (uint32_t i = 0; i < guards_; ++i) Protect(guard_[i], PROT_READ | PROT_WRITE);
    guards_ = 0;
    TouchPages();
    for (uint32_t i = 0; i < block_->guards && i < kMaxGuards; ++i) {
      guard_[guards_++] = block_->guard[i];
      Protect(block_->guard[i], PROT_NONE);
    }
  }

  void Protect(uint64_t offset, int protection) const {
    ::mprotect(memory_ + offset, block_->guard_bytes, protection);
  }

  // Whose pages the processor knows is faster, and a kernel could see to it when nobody looks at
  // the clock. So all of them are made known before each call; of more than it can remember, none.
  void TouchPages() const {
    if (bytes_ > kMaxTouchedBytes) return;
    for (uint64_t at = kBlockBytes; at < bytes_; at += kTouchedPage) {
      static_cast<void>(*static_cast<volatile char*>(memory_ + at));
    }
  }

  bool Run() {
    if (block_->what == kCallNothing) {
      block_->began_ns = block_->ended_ns = NowNs();
      return true;
    }
    const int64_t began = NowNs();
    const bool is_done = RunMoved();
    const int64_t ended = NowNs();
    block_->began_ns = began;
    block_->ended_ns = ended;
    return is_done;
  }

  // How a kernel's stack lies to its arrays changes its speed; so it lies anew every time.
  bool RunMoved() {
    volatile char* const moved = static_cast<char*>(__builtin_alloca(block_->stack_shift + 1));
    moved[0] = 0;
    return RunKernel();
  }

  bool RunKernel() {
    uintptr_t parameters[kMaxParameters] = {};
    uint32_t count = 0;
    const uint32_t tensors = block_->inputs + block_->outputs;
    for (uint32_t i = 0; i < tensors && count < kMaxParameters; ++i) {
      parameters[count++] = reinterpret_cast<uintptr_t>(memory_ + block_->tensors[i].offset);
    }
    for (uint32_t i = 0; i < block_->sizes && count < kMaxParameters; ++i) {
      parameters[count++] = static_cast<uintptr_t>(block_->size[i]);
    }
    return Call(parameters, count);
  }

  bool Call(const uintptr_t* p, uint32_t count) {
    try {
      CallEntry(kernel_, p, count);
      return true;
    } catch (const std::exception& problem) {
      return Fail(problem.what());
    } catch (...) {
      return Fail("an exception that is not a std::exception");
    }
  }

  static constexpr uint64_t kTouchedPage = 4096;
  static constexpr uint64_t kMaxTouchedBytes = 8 << 20;

  char* memory_;
  uint64_t bytes_;
  CallBlock* block_;
  void* kernel_ = nullptr;
  uint64_t guard_[kMaxGuards] = {};
  uint32_t guards_ = 0;
};

int Main() {
  const char ready = 'r';
  if (::send(kRunnerSocket, &ready, 1, 0) != 1) return kBadStart;
  LoadMessage message{};
  int descriptors[2] = {-1, -1};
  if (!ReceiveLoad(message, descriptors) || message.magic != kLoadMagic)
    return 0;  // The judge has no use for this one.
  const SharedFile shared = MapShared(descriptors[0], message.memory_bytes);
  if (shared.block == nullptr) return kBadStart;
  ::close(descriptors[0]);
  if (::send(kRunnerSocket, &ready, 1, 0) != 1) return kBadStart;
  ::close(kRunnerSocket);
  DeathNote::Keep(shared);
  message.entry_point[sizeof(message.entry_point) - 1] = '\0';
  KernelRunner runner(shared);
  if (!runner.Load(descriptors[1], message.entry_point)) {
    runner.AnswerFailed();
    return 0;
  }
  runner.Serve();
}

}  // namespace
}  // namespace hone::compute

int main() { return hone::compute::Main(); }
