// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle/kconfig_conf_oracle.h"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>

#include "hone/base/file.h"
#include "hone/kconfig/conf/conf.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

// The folder of the process, put back at the end.
class InFolder {
 public:
  explicit InFolder(const fs::path& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;
  ~InFolder() { fs::current_path(before_); }

 private:
  fs::path before_;
};

void WriteAll(const fs::path& folder, const Texts& files) {
  for (const auto& [name, text] : files) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << text;
  }
}

Texts ReadAll(const fs::path& folder) {
  Texts files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const auto text = ReadFile(entry.path());
    files[fs::relative(entry.path(), folder).string()] = text ? *text : text.error().message;
  }
  return files;
}

// Without what the C tool lets slip while it simplifies expressions.
std::string WithoutChatter(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line(text.data() + at, end - at);
    if (!line.starts_with("boolean symbol ")) out += line;
    at = end;
  }
  return out;
}

// The warnings about unmet dependencies, and the rest. The C tool tells one each time that it
// computes the symbol, in the order of its hash table; we tell each once, at the end.
struct Errors {
  std::set<std::string> unmet;
  std::string rest;
};

Errors SplitErrors(const std::string& text) {
  constexpr std::string_view kTitle = "\nWARNING: unmet direct dependencies detected for ";
  Errors errors;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at + 1), text.size() - 1) + 1;
    if (!std::string_view(text).substr(at).starts_with(kTitle)) {
      errors.rest += text.substr(at, end - at);
    } else {
      while (text.compare(end, 2, "  ") == 0) end = text.find('\n', end) + 1;
      errors.unmet.insert(text.substr(at, end - at));
    }
    at = end;
  }
  return errors;
}

Environment EnvironmentOf(const ArchOracle* arch, const ConfCall& call) {
  Environment environment = call.environment;
  if (arch == nullptr) {
    environment.emplace("PATH", "/usr/bin:/bin");
  } else {
    environment.insert(arch->options().environment.begin(), arch->options().environment.end());
  }
  return environment;
}

}  // namespace

Result<ConfOutcome> RunTheirs(const KernelOracle& oracle, const ArchOracle* arch,
                              const ConfCall& call) {
  auto folder = TempDir::Make("conf");
  if (!folder) return folder.error();
  WriteAll(folder->path(), call.files);
  const Environment environment = EnvironmentOf(arch, call);
  Command command;
  command.arguments = {oracle.conf.string(), "--" + call.mode, "Kconfig"};
  if (!call.file.empty()) command.arguments[1] += "=" + call.file;
  if (call.is_silent) command.arguments.emplace_back("-s");
  command.environment.emplace(environment.begin(), environment.end());
  if (arch != nullptr) {
    (*command.environment)["LD_PRELOAD"] = HONE_POPEN_TABLE;
    (*command.environment)["SHELL_TABLE"] = arch->table().string();
  }
  command.folder = folder->path();
  command.input = call.input;
  command.limit = std::chrono::seconds(arch == nullptr ? 10 : 60);
  command.max_output = 64 << 20;
  auto result = RunProcess(command);
  if (!result) return result.error();
  if (result->end != ProcessResult::End::kExited) return Error{Errc::kUnavailable, "endless"};
  return ConfOutcome{result->status, WithoutChatter(result->output), std::move(result->errors),
                     ReadAll(folder->path())};
}

Result<ConfOutcome> RunOurs(const ArchOracle* arch, const ConfCall& call) {
  auto folder = TempDir::Make("ours");
  if (!folder) return folder.error();
  WriteAll(folder->path(), call.files);
  ConfRequest request;
  request.mode = *ConfModeNamed(call.mode);
  request.file = call.file;
  request.is_silent = call.is_silent;
  if (arch == nullptr) {
    request.load.folders = {""};
    request.load.dialect = *DialectNamed(call.dialect);
  } else {
    request.load = arch->options();
  }
  request.load.environment = EnvironmentOf(arch, call);
  std::istringstream in(call.input);
  std::ostringstream out;
  std::ostringstream err;
  ConfOutcome outcome;
  {
    const InFolder inside(folder->path());
    outcome.status = RunConf(request, in, out, err);
  }
  outcome.output = out.str();
  outcome.errors = err.str();
  outcome.files = ReadAll(folder->path());
  return outcome;
}

void CompareCall(const KernelOracle& oracle, const ArchOracle* arch, const std::string& what,
                 const ConfCall& call, Tally& tally) {
  auto theirs = RunTheirs(oracle, arch, call);
  // It asks for ever about a choice of which no member is visible.
  if (!theirs && theirs.error().message == "endless") return;
  auto ours = RunOurs(arch, call);
  if (!theirs || !ours) {
    tally.different.push_back(what + ": it could not be run");
    return;
  }
  const auto compare = [&](const std::string& part, const std::string& our_text,
                           const std::string& their_text) {
    if (our_text.empty() && their_text.empty()) return;
    tally.Compare(what + " " + part, our_text, their_text);
  };
  compare("exit status", std::to_string(ours->status), std::to_string(theirs->status));
  compare("output", ours->output, theirs->output);
  const Errors our_errors = SplitErrors(ours->errors);
  const Errors their_errors = SplitErrors(theirs->errors);
  compare("errors", our_errors.rest, their_errors.rest);
  for (const std::string& warning : our_errors.unmet) {
    if (their_errors.unmet.contains(warning)) {
      ++tally.equal;
    } else {
      tally.different.push_back(what + ": only we warn: " + warning);
    }
  }
  for (const auto& [name, text] : theirs->files) {
    if (!ours->files.contains(name)) tally.different.push_back(what + ": we do not write " + name);
    compare(name, ours->files[name], text);
  }
  for (const auto& [name, text] : ours->files) {
    if (!theirs->files.contains(name)) tally.different.push_back(what + ": only we write " + name);
  }
}

}  // namespace hone::kconfig
