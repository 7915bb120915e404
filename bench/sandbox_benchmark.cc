// SPDX-License-Identifier: Apache-2.0
// From the wish to run /usr/bin/true to the knowledge that it ended and nothing is left; in turns,
// so that what disturbs one disturbs all. Bar: the median is below that of bubblewrap, which has
// fewer protections (no seccomp, no Landlock, no control groups).
#include <fmt/format.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "hone/sandbox/sandbox.h"
#include "hone/sandbox/warm_sandboxes.h"

extern char** environ;

namespace hone {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr const char* kProgram = "/usr/bin/true";
constexpr const char* kBubblewrap = "/usr/bin/bwrap";

struct Row {
  std::string name;
  std::function<bool()> run;
  std::vector<double> times = {};

  double At(double share) {
    std::sort(times.begin(), times.end());
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  }
};

bool Spawn(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  if (::posix_spawn(&child, words[0].c_str(), nullptr, nullptr, arguments.data(), environ) != 0) {
    return false;
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

std::vector<std::string> BubblewrapCommand() {
  return {kBubblewrap,  "--unshare-all",
          "--ro-bind",  "/usr",
          "/usr",       "--symlink",
          "usr/lib",    "/lib",
          "--symlink",  "usr/lib64",
          "/lib64",     "--symlink",
          "usr/bin",    "/bin",
          "--proc",     "/proc",
          "--dev",      "/dev",
          "--tmpfs",    "/tmp",
          "--clearenv", "--die-with-parent",
          kProgram};
}

SandboxCommand Command(const char* program) {
  SandboxCommand command;
  command.arguments = {program};
  command.views = StandardViews();
  return command;
}

std::vector<Row> Rows(WarmSandboxes& spares, std::vector<WarmSandbox>& taken) {
  std::vector<Row> rows{
      {"fork + exec", [] { return Spawn({kProgram}); }},
      {"sandbox",
       [command = Command(kProgram)] {
         const auto result = RunInSandbox(command);
         return result && result->status == 0;
       }},
      {"take a spare",
       [&] {
         auto spare = spares.Take();
         if (spare) taken.push_back(*std::move(spare));
         return !taken.empty();
       }},
  };
  if (::access(kBubblewrap, X_OK) == 0) {
    rows.push_back({"bubblewrap --unshare-all", [] { return Spawn(BubblewrapCommand()); }});
  }
  return rows;
}

int Fail(std::string_view why) {
  fmt::print("sandbox: falls short: {}\n", why);
  return 1;
}

bool Measure(std::vector<Row>& rows, WarmSandboxes& spares, std::vector<WarmSandbox>& taken,
             int rounds) {
  constexpr int kWarmUp = 3;
  constexpr std::chrono::milliseconds kPause{20};
  for (int round = -kWarmUp; round < rounds; ++round) {
    for (Row& row : rows) {
      taken.clear();
      while (spares.Ready() < 1) std::this_thread::sleep_for(std::chrono::milliseconds{1});
      // The kernel takes namespaces away in the background: none should pay for the one before.
      std::this_thread::sleep_for(kPause);
      const auto started = std::chrono::steady_clock::now();
      if (!row.run()) {
        fmt::print("{} failed\n", row.name);
        return false;
      }
      const Milliseconds took = std::chrono::steady_clock::now() - started;
      if (round >= 0) row.times.push_back(took.count());
    }
  }
  return true;
}

// On a busy machine the times are those of the scheduler otherwise. What is started inherits it.
void GoFirst() {
  const sched_param min{1};
  const bool is_first = ::sched_setscheduler(0, SCHED_FIFO, &min) == 0;
  fmt::print("{}\n", is_first ? "at real-time priority"
                              : "at normal priority: other work on this machine shows");
}

int Main(int rounds) {
  const auto& protections = ProbeProtections();
  for (const auto& [protection, why] : protections.missing) {
    fmt::print("without {}: {}\n", NameOf(protection), why);
  }
  SandboxCommand waiting = Command("/usr/bin/sleep");
  waiting.arguments.emplace_back("1000");
  const auto spares = WarmSandboxes::Make(
      1, ReadyOnFirstMessage(waiting, std::chrono::seconds{60}, /*is_silent=*/true));
  GoFirst();
  std::vector<WarmSandbox> taken;
  std::vector<Row> rows = Rows(*spares, taken);
  if (!Measure(rows, *spares, taken, rounds)) return Fail("a start failed");
  fmt::print("{:<28}{:>12}{:>12}{:>12}{:>8}\n", "start, end, clean up", "least", "median", "p95",
             "n");
  for (Row& row : rows) {
    fmt::print("{:<28}{:>9.2f} ms{:>9.2f} ms{:>9.2f} ms{:>8}\n", row.name, row.At(0), row.At(0.5),
               row.At(0.95), row.times.size());
  }
  if (rows.size() < 4) return Fail("bubblewrap is not installed, so there is no yardstick");
  if (rows[1].At(0.5) >= rows[3].At(0.5)) {
    return Fail(
        fmt::format("{:.2f} ms, bubblewrap needs {:.2f} ms", rows[1].At(0.5), rows[3].At(0.5)));
  }
  fmt::print("sandbox: holds\n");
  return 0;
}

}  // namespace
}  // namespace hone

int main(int count, char** arguments) {
  const bool is_quick = count == 2 && std::string_view(arguments[1]) == "--quick";
  if (count > 1 && !is_quick) {
    fmt::print(stderr, "usage: bench/sandbox [--quick]\n");
    return 2;
  }
  return hone::Main(is_quick ? 40 : 300);
}
