// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/local_flags.h"

#include "hone/base/json/parse_values.h"

namespace hone::cli {
namespace {

constexpr std::int64_t kMaxWorkers = 1024;

Result<std::int64_t> ParseWorkers(const std::string& flag, const std::string& text) {
  return ParseCount(flag, text, 1, kMaxWorkers);
}

}  // namespace

std::vector<Flag> LocalFlags(app::LocalSettings& settings) {
  return {
      {.names = "--workers",
       .value = "N",
       .help = "Measure this many candidates of a batch side by side (1).",
       .set =
           Parsed("--workers", ParseWorkers,
                  [&](std::int64_t value) { settings.workers = static_cast<std::size_t>(value); })},
      {.names = "--lease",
       .value = "TIME",
       .help = "After a crash, how soon a task is tried again (5s).",
       .set = Parsed("--lease", ParseDuration,
                     [&](std::chrono::milliseconds value) { settings.lease = value; })},
  };
}

}  // namespace hone::cli
