// SPDX-License-Identifier: Apache-2.0
// What every warden begins with, before it knows what it is for.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "hone/sandbox/warden_part.h"

namespace hone::warden {

const char* Reader::Text() { return Bytes(strnlen(at_, static_cast<std::size_t>(end_ - at_)) + 1); }

const char* Reader::Bytes(std::size_t size) {
  errno = EBADMSG;
  Need(size <= static_cast<std::size_t>(end_ - at_), WardenStage::kSetUp);
  const char* bytes = at_;
  at_ += size;
  return bytes;
}

Recipe ReadRecipe() {
  struct stat status {};
  Need(fstat(kWardenRecipe, &status) == 0, WardenStage::kSetUp);
  const auto size = static_cast<std::size_t>(status.st_size);
  void* map = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, kWardenRecipe, 0);
  Need(map != MAP_FAILED, WardenStage::kSetUp);
  close(kWardenRecipe);
  const char* bytes = static_cast<const char*>(map);
  Reader rest(bytes, bytes + size);
  const auto& head = *reinterpret_cast<const WardenRecipe*>(rest.Bytes(sizeof(WardenRecipe)));
  const void* filter = rest.Bytes(head.filter_length * std::size_t{8});
  return {head, filter, rest};
}

void WaitForGo() {
  char word = 0;
  ssize_t got = 0;
  while ((got = recv(kWardenSocket, &word, 1, 0)) < 0 && errno == EINTR) {
  }
  if (got != 1 || word != kWardenGo) _exit(127);
}

// Every signal back to its default, also the two that the C library hides from sigaction. A zeroed
// structure is the default on every machine.
void ResetSignals() {
  constexpr int kSignals = 64;
  const unsigned char fresh[64] = {};
  for (int number = 1; number <= kSignals; ++number) {
    syscall(SYS_rt_sigaction, number, fresh, nullptr, kSignals / 8);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

char** ReadList(Reader& rest, unsigned count) {
  auto** list = static_cast<char**>(calloc(count + std::size_t{1}, sizeof(char*)));
  Need(list != nullptr, WardenStage::kSetUp);
  for (unsigned i = 0; i < count; ++i) list[i] = const_cast<char*>(rest.Text());
  return list;
}

// The kernel's choice when memory runs out should be the program, not us.
void OfferToOom() {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  if (write(file, "1000", 4) < 0) {
  }
  close(file);
}

// In a namespace of its own, or else it is the machine's and stays.
void HideHostName(const WardenRecipe& head) {
  if (head.has_own_name != 0) Need(sethostname("sandbox", 7) == 0, WardenStage::kSetUp);
}

}  // namespace hone::warden
