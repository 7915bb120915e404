// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/conf/conf_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>

#include "hone/base/descriptor.h"
#include "hone/base/file.h"
#include "hone/kconfig/files/config_file.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

std::string VariableOr(const Environment& environment, std::string_view name,
                       std::string_view otherwise) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string(otherwise) : found->second;
}

void MakeParent(const std::string& name) {
  std::error_code ignored;
  const fs::path parent = fs::path(name).parent_path();
  if (!parent.empty()) fs::create_directories(parent, ignored);
}

// Written aside, then put in place.
bool ReplaceFile(const std::string& name, std::string_view text) {
  MakeParent(name);
  const std::string aside = name + ".tmp";
  return WriteWhole(aside, text) && std::rename(aside.c_str(), name.c_str()) == 0;
}

std::string DependencyFile(const Tree& tree, const std::string& auto_conf) {
  std::string out = "deps_config := \\\n";
  std::set<std::string_view> seen;
  std::vector<std::string_view> names;
  for (const SourceFile& file : tree.files()) {
    if (seen.insert(file.name).second) names.push_back(file.name);
  }
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    out += fmt::format("\t{} \\\n", *name);
  }
  out += fmt::format("\n{}: $(deps_config)\n\n", auto_conf);
  for (const auto& [name, value] : tree.environment()) {
    out += fmt::format("ifneq \"$({})\" \"{}\"\n{}: FORCE\nendif\n", name, value, auto_conf);
  }
  return out + "\n$(deps_config): ;\n";
}

// The lines of an auto.conf by name.
std::map<std::string, std::string> ReadAutoConf(const std::string& name,
                                                const std::string& prefix) {
  std::map<std::string, std::string> lines;
  const auto text = ReadFile(name);
  if (!text) return lines;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const std::string line = text->substr(at, end - at);
    at = end + 1;
    const std::size_t equals = line.find('=');
    if (!line.starts_with(prefix) || equals == std::string::npos) continue;
    lines[line.substr(prefix.size(), equals - prefix.size())] = line.substr(equals + 1);
  }
  return lines;
}

// Touches include/config/NAME for each symbol whose value is not what auto.conf had.
bool MarkChanges(const Configuration& configuration, const std::string& auto_conf) {
  const Tree& tree = configuration.tree();
  auto old = ReadAutoConf(auto_conf, tree.dialect().prefix);
  const std::string folder = auto_conf.substr(0, auto_conf.rfind('/') + 1);
  MakeParent(auto_conf);
  const auto touch = [&](std::string_view name) {
    return WriteWhole(folder + std::string(name), "");
  };
  for (const SymbolId id : tree.order()) {
    const Symbol& symbol = tree.symbol(id);
    if (symbol.name.empty() || symbol.is_choice || symbol.type == SymbolType::kUnknown) continue;
    const auto before = old.find(std::string(symbol.name));
    const bool had_value = before != old.end();
    const bool is_off = IsLogical(symbol.type) && configuration.value(id) == Tristate::kNo;
    const bool has_value = configuration.is_written(id) && !is_off;
    const bool is_same =
        had_value == has_value && (!has_value || before->second == configuration.text(id));
    if (had_value) old.erase(before);
    if (!is_same && !touch(symbol.name)) return false;
  }
  for (const auto& [name, value] : old) {
    if (name.find('/') == std::string::npos && !touch(name)) return false;
  }
  return true;
}

}  // namespace

// A pipe that lies in the tree must not be waited for: opening one that nobody reads fails.
bool WriteWhole(const std::string& name, std::string_view text) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY;
  const Descriptor file(open(name.c_str(), kFlags | O_NONBLOCK, 0666));
  if (!file.is_open() || fcntl(file.get(), F_SETFL, 0) != 0) return false;
  while (!text.empty()) {
    const ssize_t written = write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Result<std::string> ReplaceConfig(const std::string& name, const std::string& text,
                                  bool overwrites) {
  std::error_code ignored;
  if (name.empty()) return Error{Errc::kInvalidArgument, "config name is empty"};
  if (fs::is_directory(name, ignored)) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: Is a directory", name)};
  }
  MakeParent(name);
  const std::string written = fmt::format("configuration written to {}", name);
  if (overwrites) {
    if (WriteWhole(name, text)) return written;
    return Error{Errc::kUnavailable, fmt::format("{}: it could not be written", name)};
  }
  const auto before = ReadFile(name);
  if (before && *before == text) return fmt::format("No change to {}", name);
  const std::string aside = fmt::format("{}.{}.tmp", name, getpid());
  if (!WriteWhole(aside, text)) {
    return Error{Errc::kUnavailable, fmt::format("{}: it could not be written", aside)};
  }
  std::rename(name.c_str(), (name + ".old").c_str());
  if (std::rename(aside.c_str(), name.c_str()) != 0) {
    return Error{Errc::kUnavailable, fmt::format("{}: it could not be put in place", name)};
  }
  return written;
}

bool WriteBuildFiles(const Configuration& configuration, const Environment& environment,
                     bool overwrites) {
  const std::string auto_conf =
      VariableOr(environment, "KCONFIG_AUTOCONFIG", "include/config/auto.conf");
  std::error_code ignored;
  if (!overwrites && fs::exists(auto_conf, ignored)) return true;
  const std::string header =
      VariableOr(environment, "KCONFIG_AUTOHEADER", "include/generated/autoconf.h");
  const std::string rust =
      VariableOr(environment, "KCONFIG_RUSTCCFG", "include/generated/rustc_cfg");
  // auto.conf comes last: it says that the others are there.
  return ReplaceFile(auto_conf + ".cmd", DependencyFile(configuration.tree(), auto_conf)) &&
         MarkChanges(configuration, auto_conf) &&
         ReplaceFile(header, WriteAutoHeader(configuration)) &&
         ReplaceFile(rust, WriteRustCfg(configuration)) &&
         ReplaceFile(auto_conf, WriteAutoConf(configuration));
}

}  // namespace hone::kconfig
