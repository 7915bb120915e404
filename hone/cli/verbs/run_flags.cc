// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/run_flags.h"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "hone/base/file.h"

namespace hone::cli {

Flag RunOperand(std::string& target) {
  return {.names = "RUN",
          .value = "",
          .help = "A campaign, such as toy-7, or last; hone runs lists them.",
          .set = Store(target),
          .is_required = true,
          .completes = Completes::kRun};
}

Flag OutputFlag(std::string& target, std::string help) {
  return {.names = "-o,--output",
          .value = "FILE",
          .help = std::move(help),
          .set = Store(target),
          .completes = Completes::kFile};
}

Result<void> WriteAnswer(Shell& shell, const std::string& path, std::string_view text) {
  if (path == "-") {
    shell.console.out << text;
    return {};
  }
  if (auto written = WriteFileDurably(path, text); !written) return written;
  if (!shell.is_quiet) shell.console.err << fmt::format("Wrote {}\n", path);
  return {};
}

}  // namespace hone::cli
