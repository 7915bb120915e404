// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/call_channel.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <utility>

#include "hone/base/errno_error.h"
#include "hone/domains/compute/runner/relax.h"

namespace hone::compute {
namespace {

constexpr std::chrono::milliseconds kSpinTime{20};
constexpr int kSpinsPerLook = 2000;  // Some tens of microseconds.
constexpr long kNapNs = 1'000'000;

std::uint32_t LoadWord(const std::uint32_t& word) {
  return __atomic_load_n(&word, __ATOMIC_SEQ_CST);
}

void StoreWord(std::uint32_t& word, std::uint32_t value) {
  __atomic_store_n(&word, value, __ATOMIC_SEQ_CST);
}

void Nap(std::uint32_t& word, std::uint32_t seen) {
  const timespec nap{0, kNapNs};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &nap, nullptr, 0);
}

}  // namespace

Result<CallChannel> CallChannel::Make(std::size_t arena_bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t bytes = (kBlockBytes + arena_bytes + page - 1) / page * page;
  Descriptor file(::memfd_create("hone-arrays", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.is_open()) return ErrnoError("shared memory for arrays", errno);
  if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    return ErrnoError("shared memory for arrays", errno);
  }
  const int flags = MAP_SHARED | (bytes < kSparseBytes ? MAP_POPULATE : 0);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file.get(), 0);
  if (memory == MAP_FAILED) return ErrnoError("shared memory for arrays", errno);
  CallChannel channel(std::move(file), static_cast<std::byte*>(memory), bytes);
  channel.block().magic = kBlockMagic;
  channel.block().version = kBlockVersion;
  return channel;
}

CallChannel::CallChannel(CallChannel&& other) noexcept
    : file_(std::move(other.file_)),
      memory_(std::exchange(other.memory_, nullptr)),
      bytes_(other.bytes_) {}

CallChannel::~CallChannel() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

void CallChannel::SetTurn(std::uint32_t call, std::uint32_t turn, bool wakes) {
  std::uint32_t& word = block().turn;
  StoreWord(word, call << 2 | turn);
  if (wakes) ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

std::uint32_t CallChannel::turn() const {
  return LoadWord(reinterpret_cast<const CallBlock*>(memory_)->turn);
}

std::uint32_t CallChannel::answer() const {
  return LoadWord(reinterpret_cast<const CallBlock*>(memory_)->answer);
}

bool CallChannel::AwaitOtherThan(std::uint32_t seen, bool spins,
                                 const std::function<bool()>& is_over) {
  std::uint32_t& word = block().answer;
  const Time began = std::chrono::steady_clock::now();
  while (spins && std::chrono::steady_clock::now() - began < kSpinTime) {
    for (int i = 0; i < kSpinsPerLook; ++i) {
      if (LoadWord(word) != seen) return true;
      Relax();
    }
    if (is_over()) return LoadWord(word) != seen;
  }
  StoreWord(block().judge_sleeps, 1);
  bool has_come = LoadWord(word) != seen;
  while (!has_come && !is_over()) {
    Nap(word, seen);
    has_come = LoadWord(word) != seen;
  }
  StoreWord(block().judge_sleeps, 0);
  return has_come || LoadWord(word) != seen;
}

}  // namespace hone::compute
