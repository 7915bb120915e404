// SPDX-License-Identifier: Apache-2.0
// What a process loses before it becomes the program of a sandbox.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "hone/sandbox/warden_part.h"

namespace hone::warden {
namespace {

// Landlock, ABI 7; Debian's headers know less.
struct LandlockRules {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};
struct LandlockBeneath {
  std::uint64_t allowed;
  std::int32_t folder;
} __attribute__((packed));

constexpr int kLandlockVersion = 1;      // LANDLOCK_CREATE_RULESET_VERSION
constexpr int kLandlockPathBeneath = 1;  // LANDLOCK_RULE_PATH_BENEATH
constexpr std::uint64_t kExecute = 1 << 0;
constexpr std::uint64_t kWriteFile = 1 << 1;
constexpr std::uint64_t kReadFile = 1 << 2;
constexpr std::uint64_t kReadFolder = 1 << 3;
constexpr std::uint64_t kMakeDevices = (1 << 6) | (1 << 11);  // MAKE_CHAR, MAKE_BLOCK
constexpr std::uint64_t kFirstAbi = (1 << 13) - 1;
constexpr std::uint64_t kRefer = 1 << 13;
constexpr std::uint64_t kTruncate = 1 << 14;
constexpr std::uint64_t kIoctlDevice = 1 << 15;
constexpr std::uint64_t kTcp = 3;
constexpr std::uint64_t kScopes = 3;  // Abstract sockets, signals.

void Limit(int which, std::int64_t max) {
  const rlimit limit{static_cast<rlim_t>(max), static_cast<rlim_t>(max)};
  Need(setrlimit(static_cast<__rlimit_resource>(which), &limit) == 0, WardenStage::kLimits);
}

// RLIMIT_NPROC counts what the user has in this user namespace.
void SetLimits(const WardenRecipe& head) {
  Limit(RLIMIT_CORE, 1);  // Too little for a file; and unlike 0 it is heeded by dumps to a pipe.
  Limit(RLIMIT_NPROC, head.processes);
  Limit(RLIMIT_FSIZE, head.file_bytes);
  Limit(RLIMIT_MSGQUEUE, 0);
  Limit(RLIMIT_NICE, 0);
  Limit(RLIMIT_RTPRIO, 0);
  Limit(RLIMIT_MEMLOCK, 64 << 10);
  Limit(RLIMIT_SIGPENDING, 256);
  if (head.data_bytes > 0) {
    constexpr std::int64_t kAddresses = 4;  // Libraries reserve much that they never use.
    Limit(RLIMIT_DATA, head.data_bytes);
    Limit(RLIMIT_AS, kAddresses * head.data_bytes);
  }
  Limit(RLIMIT_NOFILE, head.open_files);
}

bool Allow(int rules, const char* path, std::uint64_t access) {
  const int folder = open(path, O_PATH | O_CLOEXEC);
  if (folder < 0) return errno == ENOENT;
  const LandlockBeneath rule{access, folder};
  const bool is_added = syscall(SYS_landlock_add_rule, rules, kLandlockPathBeneath, &rule, 0) == 0;
  close(folder);
  return is_added;
}

bool Landlock(const WardenRecipe& head, const char* const* writable, unsigned count) {
  const long abi = syscall(SYS_landlock_create_ruleset, nullptr, 0, kLandlockVersion);
  if (abi < 1) return false;
  std::uint64_t files = kFirstAbi;
  if (abi >= 2) files |= kRefer;
  if (abi >= 3) files |= kTruncate;
  if (abi >= 5) files |= kIoctlDevice;
  const LandlockRules handled{files, abi >= 4 ? kTcp : 0, abi >= 6 ? kScopes : 0};
  const size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  const int rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, size, 0));
  if (rules < 0) return false;
  bool is_good = Allow(rules, "/", kExecute | kReadFile | kReadFolder) &&
                 Allow(rules, "/dev", kReadFile | kWriteFile | (files & kIoctlDevice)) &&
                 Allow(rules, "/scratch", files & ~kMakeDevices & ~kIoctlDevice);
  if (head.writes_proc != 0) {
    is_good = is_good && Allow(rules, "/proc/pids", kWriteFile | (files & kTruncate));
  }
  for (unsigned i = 0; i < count; ++i) {
    is_good = is_good && Allow(rules, writable[i], files & ~kMakeDevices & ~kIoctlDevice);
  }
  is_good = is_good && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  const int number = errno;
  close(rules);
  errno = number;
  return is_good;
}

// Speculation is left as it is: a filter is no reason to make the program slower.
bool FilterCalls(const Recipe& recipe) {
  sock_fprog program{};
  program.len = static_cast<unsigned short>(recipe.head.filter_length);
  program.filter = static_cast<sock_filter*>(const_cast<void*>(recipe.filter));
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) ==
         0;
}

void Part(bool is_good, const Recipe& recipe, WardenPart part, WardenStage stage) {
  if (is_good) return;
  Need((recipe.head.optional_parts & part) != 0, stage);
  lacking_parts |= part;
}

}  // namespace

void DropCapabilities() {
  for (unsigned long capability = 0; capability < 64; ++capability) {
    if (prctl(PR_CAPBSET_DROP, capability) != 0) break;
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  Need(syscall(SYS_capset, &header, none) == 0, WardenStage::kUser);
  Need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, WardenStage::kUser);
}

void Confine(const Recipe& recipe) {
  if (recipe.head.is_pinned != 0) {
    Need(sched_setaffinity(0, sizeof recipe.head.cpus, &recipe.head.cpus) == 0, WardenStage::kCpus);
  }
  SetLimits(recipe.head);
  if (recipe.head.has_fixed_addresses != 0) personality(ADDR_NO_RANDOMIZE);
  Part(Landlock(recipe.head, recipe.writable, recipe.writable_count), recipe, kPartLandlock,
       WardenStage::kLandlock);
  Part(FilterCalls(recipe), recipe, kPartSeccomp, WardenStage::kSeccomp);
}

}  // namespace hone::warden
