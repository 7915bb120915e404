// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/policy_check.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

namespace hone::compute {
namespace {

// No kernel has a use for these, whatever the policy: they start or attack processes, or talk.
const std::vector<std::string_view> kNever = {
    "fork",
    "vfork",
    "clone",
    "clone3",
    "daemon",
    "system",
    "popen",
    "execve",
    "execv",
    "execvp",
    "posix_spawn",
    "ptrace",
    "socket",
    "process_vm_readv",
    "process_vm_writev",
    "posix_spawnp",
    "_Fork",
};
const std::vector<std::string_view> kThreads = {"pthread_create", "thrd_create", "GOMP_parallel",
                                                "_ZNSt6thread15_M_start_threadESt10unique_ptr"};
const std::vector<std::string_view> kLoading = {"dlopen", "dlmopen", "dlsym", "dlvsym"};

// A library that defines one of these wants others to call it instead of the system's.
const std::vector<std::string_view> kClocks = {
    "clock_gettime", "gettimeofday", "time",  "clock",   "times",   "__clock_gettime",
    "clock_getres",  "nanosleep",    "futex", "__rdtsc", "syscall", "getrusage"};

// What the C and C++ run-time libraries are called.
const std::vector<std::string_view> kRunTime = {"libc.so.6",
                                                "libm.so.6",
                                                "libgcc_s.so.1",
                                                "libstdc++.so.6",
                                                "libpthread.so.0",
                                                "ld-linux-x86-64.so.2",
                                                "ld-linux-aarch64.so.1"};

// std::thread::_M_start_thread, not _ZNSt6thread15_M_start_threadE…
std::string ReadableName(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || name == nullptr) return symbol;
  const std::string_view whole = name.get();
  return std::string(whole.substr(0, whole.find('(')));
}

std::optional<std::string> FirstOf(const std::vector<std::string_view>& wanted,
                                   const std::set<std::string>& found) {
  for (const std::string& name : found) {
    for (const std::string_view word : wanted) {
      if (name == word || (word.size() > 20 && name.starts_with(word))) return ReadableName(name);
    }
  }
  return std::nullopt;
}

bool IsForThreads(const std::string& library) {
  return library == "libgomp.so.1" || library == "libomp.so.5";
}

}  // namespace

std::optional<std::string> BreachOf(const Policy& policy, const LibrarySymbols& symbols) {
  if (const auto name = FirstOf(kNever, symbols.imports)) {
    return fmt::format("it calls {}, which no kernel may", *name);
  }
  if (const auto name = FirstOf(kClocks, symbols.exports)) {
    return fmt::format("it defines {}, which is the system's: nothing of ours would call it",
                       *name);
  }
  if (policy.threads == 1) {
    if (const auto name = FirstOf(kThreads, symbols.imports)) {
      return fmt::format("it calls {}; the problem's policy allows one thread", *name);
    }
  }
  if (policy.libraries) return std::nullopt;
  if (const auto name = FirstOf(kLoading, symbols.imports)) {
    return fmt::format("it calls {}; the problem's policy allows no libraries", *name);
  }
  for (const std::string& library : symbols.libraries) {
    const bool is_known = std::ranges::find(kRunTime, library) != kRunTime.end() ||
                          (policy.threads > 1 && IsForThreads(library));
    if (!is_known) {
      return fmt::format("it needs {}; the problem's policy allows no libraries", library);
    }
  }
  return std::nullopt;
}

}  // namespace hone::compute
