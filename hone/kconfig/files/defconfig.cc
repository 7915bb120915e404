// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/defconfig.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/base/file.h"
#include "hone/base/process/subprocess.h"
#include "hone/core/nearest.h"
#include "hone/kconfig/language/make_value.h"
#include "hone/kconfig/language/source_folders.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = "_defconfig";

// What the Makefile of the architecture says, or what is usual.
std::vector<std::string> UsualNames(const TreePlace& place) {
  const std::string makefile =
      ReadTreeFile(place.root, "arch/" + place.source_arch + "/Makefile").value_or("");
  std::vector<std::string> names = {MakeValue(makefile, "KBUILD_DEFCONFIG")};
  if (place.arch == "x86") names.push_back("x86_64" + std::string(kSuffix));
  names.push_back(place.arch + std::string(kSuffix));
  names.emplace_back("defconfig");
  return names;
}

}  // namespace

Result<fs::path> FindDefconfig(const TreePlace& place, const std::string& name) {
  std::error_code ignored;
  if (!name.empty() && fs::is_regular_file(name, ignored)) return fs::path(name);
  const std::vector<fs::path> files = DefconfigsOf(place);
  std::vector<std::string> wanted = {name, name + std::string(kSuffix)};
  if (name.empty()) wanted = UsualNames(place);
  for (const std::string& one : wanted) {
    const auto found = std::find_if(files.begin(), files.end(), [&](const fs::path& file) {
      return file.filename() == one && !one.empty();
    });
    if (found != files.end()) return *found;
  }
  std::vector<std::string> known;
  known.reserve(files.size());
  for (const fs::path& file : files) known.push_back(file.filename().string());
  if (name.empty()) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("defconfig: give one of the {} of the tree after it, or a file", known.size())};
  }
  return Error{Errc::kNotFound, NoSuch("defconfig", name, known)};
}

Result<std::string> ReadDefconfig(const TreePlace& place, const fs::path& file,
                                  const Environment& environment) {
  auto text = ReadFile(file);
  if (!text || text->find("#include") == std::string::npos) return text;
  Command command;
  const auto compiler = environment.find("CC");
  command.arguments = {compiler == environment.end() ? "gcc" : compiler->second,
                       "-E",
                       "-nostdinc",
                       "-P",
                       "-undef",
                       "-x",
                       "assembler-with-cpp",
                       "-I",
                       place.root.string(),
                       file.string()};
  command.environment.emplace(environment.begin(), environment.end());
  const auto result = RunProcess(command);
  if (!result) return result.error();
  if (result->status != 0) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: the preprocessor failed: {}", file.string(), result->errors)};
  }
  return result->output;
}

}  // namespace hone::kconfig
