// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/local_flags.h"

namespace hone::cli {
std::vector<Flag> LocalFlags(app::LocalSettings& settings) {
  return {
      {.names = "--workers",
       .value = "N",
       .help = "Measure this many candidates of a batch side by side (1).",
       .set = StoreCount("--workers", settings.workers, 1, app::kMaxWorkers)},
      {.names = "--lease",
       .value = "TIME",
       .help = "After a crash, how soon a task is tried again (5s).",
       .set = StoreParsed("--lease", ParseDuration, settings.lease)},
  };
}

}  // namespace hone::cli
