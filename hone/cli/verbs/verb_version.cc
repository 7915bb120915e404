// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ostream>

#include "hone/app/version.h"
#include "hone/base/json/json.h"
#include "hone/cli/verbs.h"

namespace hone::cli {
namespace {

Result<ExitCode> TellVersion(Shell& shell) {
  if (shell.wants_json) {
    Json document{{"version", app::Version()}};
    for (const auto& [name, version] : app::BuildFacts()) document["built_with"][name] = version;
    shell.console.out << Dump(document) << '\n';
  } else {
    shell.console.out << fmt::format("hone {}\n", app::Version());
  }
  return ExitCode::kYes;
}

}  // namespace

Verb MakeVersionVerb() {
  Verb verb;
  verb.name = "version";
  verb.summary = "tells the version";
  verb.description = "With --json also the compiler and the libraries that it was built with.";
  verb.run = TellVersion;
  return verb;
}

}  // namespace hone::cli
