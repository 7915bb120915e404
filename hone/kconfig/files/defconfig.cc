// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/defconfig.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "hone/base/file.h"
#include "hone/base/process/subprocess.h"
#include "hone/core/nearest.h"
#include "hone/kconfig/files/visible.h"
#include "hone/kconfig/language/make_value.h"
#include "hone/kconfig/language/source_folders.h"
#include "hone/kconfig/shell/shell_jail.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = "_defconfig";
constexpr std::size_t kMaxDefconfig = 16 << 20;

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

struct Preprocessed {
  int status = 0;
  std::string output;
  std::string errors;
};

Result<Preprocessed> Free(const std::string& text, const LoadOptions& options) {
  Command command;
  command.arguments = {"/bin/sh", "-c", text};
  command.environment.emplace(options.environment.begin(), options.environment.end());
  auto result = RunProcess(command);
  if (!result) return result.error();
  return Preprocessed{result->status, std::move(result->output), std::move(result->errors)};
}

// A jail tells neither status nor errors: they follow the output, behind a zero byte each.
Result<Preprocessed> Confined(const std::string& text, const LoadOptions& options) {
  const auto folders = VisibleFolders(options);
  if (!folders) return folders.error();
  const Environment environment = VisibleEnvironment(options);
  ShellJailSettings settings;
  settings.environment.insert(environment.begin(), environment.end());
  settings.visible = *folders;
  settings.max_output = kMaxDefconfig;
  const auto output = ShellJail(std::move(settings))
                          .Run(text + " 2>$TMPDIR/errors; printf '\\0%d\\0' $?; cat $TMPDIR/errors",
                               options.shell_timeout);
  if (!output) return output.error();
  const std::size_t end = output->find('\0');
  const std::size_t errors = output->find('\0', end + 1);
  if (end == output->npos || errors == output->npos) {
    return Error{Errc::kInvalidArgument, "the preprocessor did not come to an end"};
  }
  return Preprocessed{std::atoi(output->c_str() + end + 1), output->substr(0, end),
                      output->substr(errors + 1)};
}

// For a shell.
std::string Quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
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
                                  const LoadOptions& options) {
  auto text = ReadFile(file);
  if (!text || text->find("#include") == std::string::npos) return text;
  const auto compiler = options.environment.find("CC");
  const std::string command = fmt::format(
      "{} -E -nostdinc -P -undef -x assembler-with-cpp -I {} {}",
      compiler == options.environment.end() ? "gcc" : compiler->second, Quoted(place.root.string()),
      Quoted(fs::absolute(file).lexically_normal().string()));
  const auto result =
      options.shell == ShellPolicy::kRun ? Free(command, options) : Confined(command, options);
  if (!result) return result.error();
  if (result->status != 0) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: the preprocessor failed: {}", file.string(), result->errors)};
  }
  return result->output;
}

}  // namespace hone::kconfig
