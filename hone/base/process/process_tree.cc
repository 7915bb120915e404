// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/process_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "hone/base/file.h"
#include "hone/base/machine_text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::optional<ProcessTicks> StatOf(pid_t pid) {
  const auto text = ReadFile(fmt::format("/proc/{}/stat", pid));
  return text ? ParseProcessStat(*text) : std::nullopt;
}

void AddChildren(pid_t pid, std::vector<pid_t>& tree) {
  std::error_code fault;
  for (fs::directory_iterator task(fmt::format("/proc/{}/task", pid), fault), end;
       !fault && task != end; task.increment(fault)) {
    std::istringstream children(ReadFile(task->path() / "children").value_or(""));
    for (pid_t child = 0; children >> child;) tree.push_back(child);
  }
}

// Lines of /proc/net/tcp: number, local address, remote address, state, …
bool HasListener(const std::string& text, int port) {
  constexpr const char* kListens = "0A";
  const std::string ending = fmt::format(":{:04X}", port);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number;
    std::string local;
    std::string remote;
    std::string state;
    words >> number >> local >> remote >> state;
    if (state == kListens && local.ends_with(ending)) return true;
  }
  return false;
}

bool HasListenerIn(const std::string& process, int port) {
  for (const char* name : {"tcp", "tcp6"}) {
    const auto text = ReadFile(fmt::format("/proc/{}/net/{}", process, name));
    if (text && HasListener(*text, port)) return true;
  }
  return false;
}

// Whether it holds for the process or for one that it descends from.
template <typename Holds>
std::optional<bool> HoldsInLine(pid_t pid, const Holds& holds) {
  if (!StatOf(pid)) return std::nullopt;
  constexpr int kMaxGenerations = 1000;
  for (int i = 0; i < kMaxGenerations && pid > 1; ++i) {
    if (holds(pid)) return true;
    const auto stat = StatOf(pid);
    if (!stat) return std::nullopt;
    pid = stat->parent;
  }
  return false;
}

}  // namespace

std::vector<pid_t> TreeOf(pid_t root) {
  std::vector<pid_t> tree{root};
  for (std::size_t i = 0; i < tree.size(); ++i) AddChildren(tree[i], tree);
  return tree;
}

std::optional<bool> DescendsFrom(pid_t pid, pid_t ancestor) {
  return HoldsInLine(pid, [&](pid_t one) { return one == ancestor; });
}

std::optional<bool> DescendsFromOurProgram(pid_t pid) {
  return HoldsInLine(pid, [](pid_t one) {
    std::error_code fault;
    return fs::equivalent("/proc/self/exe", fmt::format("/proc/{}/exe", one), fault) && !fault;
  });
}

std::string ProgramOf(pid_t pid) {
  const auto stat = StatOf(pid);
  return stat ? stat->name : "";
}

bool IsListening(pid_t root, int port) {
  const std::vector<pid_t> tree = TreeOf(root);
  return std::any_of(tree.begin(), tree.end(),
                     [&](pid_t pid) { return HasListenerIn(std::to_string(pid), port); });
}

bool IsPortTaken(int port) { return HasListenerIn("self", port); }

}  // namespace hone
