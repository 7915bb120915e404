// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/shell/shell_memo.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <system_error>

#include "hone/base/file.h"
#include "hone/base/sha256.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDigested = 64 << 20;

constexpr std::string_view kToolVariables[] = {
    "CC",           "LD",      "AR",           "NM",          "OBJCOPY",
    "OBJDUMP",      "READELF", "STRIP",        "HOSTCC",      "HOSTCXX",
    "RUSTC",        "BINDGEN", "PAHOLE",       "CLANG_FLAGS", "CC_VERSION_TEXT",
    "CONFIG_SHELL", "MAKE",    "CROSS_COMPILE"};

void AppendEscaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out += c;
    }
  }
}

std::string Unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const char c = text[++at];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return out;
}

// By its times: that of change is not its owner's to set.
std::string StampText(const struct stat& facts) {
  return fmt::format("{}.{}.{}.{}.{}.{}.{}", facts.st_dev, facts.st_ino, facts.st_size,
                     facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, facts.st_ctim.tv_sec,
                     facts.st_ctim.tv_nsec);
}

// Of the machine, which is trusted.
std::string DescribeProgram(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 ? StampText(facts) : "-";
}

// By its mode and contents, as others can write it; but what is huge, or has no size (in /proc), by
// its times.
std::string DescribeFile(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return "-";
  std::error_code fault;
  if (S_ISREG(facts.st_mode) && facts.st_size > 0) {
    if (const auto text = ReadRegularFile(fs::canonical(path, fault), kMaxDigested)) {
      return fmt::format("{:o}.{}", facts.st_mode, Sha256Of(*text));
    }
  }
  return StampText(facts);
}

std::vector<std::string> FoldersOfPath(const Environment& environment) {
  std::vector<std::string> folders;
  const auto path = environment.find("PATH");
  if (path == environment.end()) return folders;
  for (std::size_t at = 0; at <= path->second.size();) {
    const std::size_t end = std::min(path->second.find(':', at), path->second.size());
    folders.push_back(path->second.substr(at, end - at));
    at = end + 1;
  }
  return folders;
}

// Which programs there are, and when they changed.
std::string Identify(const Environment& environment) {
  std::string identity;
  const auto folders = FoldersOfPath(environment);
  for (const std::string& folder : folders) {
    identity += fmt::format("{}={}\n", folder, DescribeProgram(folder));
  }
  for (const std::string_view name : kToolVariables) {
    const auto found = environment.find(name);
    if (found == environment.end()) continue;
    identity += fmt::format("{}={}\n", name, found->second);
    const std::string program = found->second.substr(0, found->second.find(' '));
    for (const std::string& folder : folders) {
      const std::string path =
          program.starts_with('/') ? program : fmt::format("{}/{}", folder, program);
      const std::string state = DescribeProgram(path);
      if (state == "-") continue;
      identity += fmt::format("{}={}\n", path, state);
      break;
    }
  }
  return identity;
}

}  // namespace

ShellMemo::ShellMemo(const fs::path& folder, const Environment& environment,
                     const std::vector<fs::path>& visible) {
  if (folder.empty()) return;
  std::string identity = Identify(environment);
  for (const fs::path& one : visible) identity += one.string() + "\n";
  file_ = folder / fmt::format("shell-{}.table", Sha256Of(identity));
  const auto text = ReadFile(file_);
  if (!text) return;
  auto table = ReadShellTable(*text, file_.string());
  if (!table) return;  // It is written anew.
  results_.insert(table->begin(), table->end());
}

std::string_view ShellMemo::StateOf(std::string_view path) {
  const auto [found, is_new] = states_.try_emplace(std::string(path));
  if (is_new) found->second = DescribeFile(found->first);
  return found->second;
}

std::string ShellMemo::KeyOf(const std::string& command) {
  std::string key = command;
  constexpr std::string_view kBreaks = " \t\n\"';|&()<>=`";
  for (std::size_t at = 0; at < command.size();) {
    const std::size_t begin = command.find_first_not_of(kBreaks, at);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(command.find_first_of(kBreaks, begin), command.size());
    at = end;
    const std::string_view word(command.data() + begin, end - begin);
    if (word.find('/') == std::string_view::npos || word.starts_with("/dev/")) continue;
    key += '\n';
    key += StateOf(word);
  }
  return key;
}

const std::string* ShellMemo::Find(const std::string& command) {
  // Also if there is nothing to be found: the files count as they are before the command runs.
  const auto found = results_.find(KeyOf(command));
  return found == results_.end() ? nullptr : &found->second;
}

void ShellMemo::Add(const std::string& command, const std::string& result) {
  if (file_.empty()) return;
  results_[KeyOf(command)] = result;
  has_news_ = true;
}

Result<void> ShellMemo::Save() const {
  if (!has_news_ || file_.empty()) return {};
  if (auto made = MakeFolder(file_.parent_path()); !made) return made.error();
  return WriteFileDurably(file_, WriteShellTable(ShellTable(results_.begin(), results_.end())));
}

std::string WriteShellTable(const ShellTable& table) {
  std::string out;
  for (const auto& [command, result] : table) {
    AppendEscaped(out, command);
    out += '\t';
    AppendEscaped(out, result);
    out += '\n';
  }
  return out;
}

Result<ShellTable> ReadShellTable(std::string_view text, std::string_view what) {
  ShellTable table;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) {
      return Error{Errc::kCorrupt,
                   fmt::format("{}:{}: no tab between command and result", what, number)};
    }
    table.emplace(Unescape(line.substr(0, tab)), Unescape(line.substr(tab + 1)));
  }
  return table;
}

}  // namespace hone::kconfig
