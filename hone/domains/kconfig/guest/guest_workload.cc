// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_workload.h"

#include <fmt/format.h>

#include <string_view>

namespace hone::kernels {
namespace {

std::string_view WordOf(GuestStep::Kind kind) {
  switch (kind) {
    case GuestStep::Kind::kCall:
      return "call";
    case GuestStep::Kind::kStart:
      return "start";
    case GuestStep::Kind::kUntil:
      return "until";
    case GuestStep::Kind::kMeasure:
      return "measure";
    case GuestStep::Kind::kListen:
      break;
  }
  return "";
}

// A line cannot hold its own end.
std::string OneLine(std::string_view text) {
  std::string line;
  for (const char letter : text) {
    if (letter == '\n') {
      line += "\\n";
    } else if (letter == '\\') {
      line += "\\\\";
    } else {
      line += letter;
    }
  }
  return line;
}

}  // namespace

std::string TaskOf(const GuestWorkload& workload) {
  std::string task = workload.disk.empty() ? "" : "disk /dev/vda\n";
  task += fmt::format("prepare {}\n", kGuestFolder);
  for (const GuestStep& step : workload.steps) {
    if (step.kind == GuestStep::Kind::kListen) {
      task += fmt::format("listen {}\n", step.port);
      continue;
    }
    for (const std::string& argument : step.arguments) {
      task += fmt::format("arg {}\n", OneLine(argument));
    }
    for (const auto& [name, value] : step.environment) {
      task += fmt::format("env {}={}\n", name, OneLine(value));
    }
    if (!step.folder.empty()) task += fmt::format("dir {}\n", step.folder);
    task += fmt::format("do {}\n", WordOf(step.kind));
  }
  return task;
}

}  // namespace hone::kernels
