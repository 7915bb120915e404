// SPDX-License-Identifier: Apache-2.0
// One measurement of hone/kconfig in one process; bench/kconfig runs it beside its peers. MODE is
// alldefconfig or allyesconfig; OUT gets the .config.
//   kconfig_benchmark write TREE ARCH MODE TABLE OUT            parse, evaluate, write
//   kconfig_benchmark snapshot TREE ARCH MODE TABLE FOLDER OUT  the same with a snapshot there
//   kconfig_benchmark cold TREE ARCH MODE OUT                   commands really run, freely
//   kconfig_benchmark restricted TREE ARCH MODE OUT             the same, commands restricted
//   kconfig_benchmark table TREE ARCH OUT                       the results of its commands
//   kconfig_benchmark phases TREE ARCH TABLE FOLDER             what each phase takes
//   kconfig_benchmark changes TREE ARCH TABLE                   one change at a time, all symbols
//   kconfig_benchmark copies TREE ARCH TABLE N                  memory of N configurations
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "hone/base/file.h"
#include "hone/core/rng.h"
#include "hone/kconfig/conf/modes.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/files/kernel_environment.h"
#include "hone/kconfig/shell/shell_memo.h"

namespace hone::kconfig {
namespace {

using Clock = std::chrono::steady_clock;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

[[noreturn]] void Die(const std::string& message) {
  std::fputs((message + "\n").c_str(), stderr);
  std::exit(1);
}

Environment ProcessVariables() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    environment.emplace(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
  }
  return environment;
}

LoadOptions OptionsOf(const std::string& tree, const std::string& arch, const std::string& table,
                      ShellPolicy policy) {
  const auto place = LocateTree(tree, arch);
  if (!place) Die(place.error().message);
  LoadOptions options = OptionsFor(*place, ProcessVariables(), policy);
  if (table.empty()) return options;
  const auto text = ReadFile(table);
  if (!text) Die(text.error().message);
  options.recorded = *ReadShellTable(*text, table);
  return options;
}

std::shared_ptr<const Tree> Load(const LoadOptions& options) {
  auto tree = LoadTreeOrError(options);
  if (!tree) Die(tree.error().message);
  return *tree;
}

void WriteOut(const std::string& name, const std::string& text) {
  std::ofstream(name, std::ios::binary)
      .write(text.data(), static_cast<std::streamsize>(text.size()));
}

// Parsed, evaluated and written, in the mode of the C tool.
void Write(const LoadOptions& options, const std::string& mode, const std::string& out) {
  Configuration configuration(Load(options));
  if (mode == "allyesconfig") SetAllNew(configuration, Tristate::kYes);
  WriteOut(out, WriteConfig(configuration));
  std::fflush(nullptr);
  std::_Exit(0);  // As the C tool does, which frees nothing either.
}

void Phases(LoadOptions options, const std::string& snapshots) {
  auto start = Clock::now();
  const auto tree = Load(options);
  const double load = MillisecondsSince(start);
  options.snapshots = snapshots;
  static_cast<void>(Load(options));  // Makes it.
  start = Clock::now();
  if (!LoadTree(options).is_from_snapshot) Die("the snapshot was not used");
  const double load_snapshot = MillisecondsSince(start);
  start = Clock::now();
  const Configuration configuration(tree);
  const double evaluate = MillisecondsSince(start);
  start = Clock::now();
  const std::string text = WriteConfig(configuration);
  const double write = MillisecondsSince(start);
  start = Clock::now();
  static_cast<void>(tree->DependentsOf(0));
  fmt::print(
      "{{\"load_ms\":{:.2f},\"load_snapshot_ms\":{:.2f},\"evaluate_ms\":{:.2f},\"write_ms\":{:.2f},"
      "\"dependents_ms\":{:.2f},\"bytes\":{},\"files\":{},\"symbols\":{},\"properties\":{},"
      "\"expressions\":{}}}\n",
      load, load_snapshot, evaluate, write, MillisecondsSince(start), text.size(),
      tree->files().size(), tree->symbols().size(), tree->properties().size(),
      tree->expressions().size());
}

// Toggles every symbol that can be changed, and back.
void Changes(const LoadOptions& options) {
  Configuration configuration(Load(options));
  const Tree& tree = configuration.tree();
  static_cast<void>(tree.DependentsOf(0));
  std::vector<double> times;
  std::size_t moved = 0;
  for (const SymbolId id : tree.order()) {
    if (tree.symbol(id).is_choice || !IsLogical(tree.symbol(id).type)) continue;
    if (!configuration.IsChangeable(id)) continue;
    const bool had_user_value = configuration.has_user_value(id);
    const Tristate old = configuration.value(id);
    const Tristate other = old == Tristate::kNo ? Tristate::kYes : Tristate::kNo;
    if (!configuration.CanBe(id, other)) continue;
    const Configuration before = configuration;
    const auto start = Clock::now();
    const auto changed = configuration.Set(id, other);
    times.push_back(MillisecondsSince(start) * 1000);
    moved += changed.size();
    if (!had_user_value) configuration.Unset(id);
    configuration = before;
  }
  std::sort(times.begin(), times.end());
  fmt::print(
      "{{\"median_us\":{:.3f},\"p99_us\":{:.3f},\"max_us\":{:.1f},\"count\":{},"
      "\"moved\":{:.2f}}}\n",
      times[times.size() / 2], times[times.size() * 99 / 100], times.back(), times.size(),
      static_cast<double>(moved) / static_cast<double>(times.size()));
}

long ResidentKib() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmRSS:")) return std::atol(line.c_str() + 6);
  }
  return 0;
}

// Different configurations of one tree, all in memory at once.
void Copies(const LoadOptions& options, std::size_t count) {
  const Configuration base(Load(options));
  const Tree& tree = base.tree();
  Rng rng(1);
  std::vector<Configuration> all;
  all.reserve(count);
  const auto start = Clock::now();
  for (std::size_t i = 0; i < count; ++i) {
    Configuration& next = all.emplace_back(base);
    for (int changes = 0; changes < 20; ++changes) {
      const SymbolId id = tree.order()[rng.Below(tree.order().size())];
      if (IsLogical(tree.symbol(id).type)) next.Set(id, static_cast<Tristate>(rng.Below(3)));
    }
  }
  fmt::print("{{\"count\":{},\"resident_mb\":{:.1f},\"ms\":{:.1f}}}\n", all.size(),
             static_cast<double>(ResidentKib()) / 1024, MillisecondsSince(start));
}

int Main(const std::vector<std::string>& words) {
  if (words.size() < 4) Die("usage: the comment at the beginning of kconfig_benchmark.cc");
  const std::string& action = words[0];
  const bool writes = action == "write" || action == "snapshot";
  const bool is_cold = action == "cold" || action == "table" || action == "restricted";
  const std::string table = is_cold ? "" : words[writes ? 4 : 3];
  LoadOptions options =
      OptionsOf(words[1], words[2], table,
                action == "restricted" ? ShellPolicy::kRestricted : ShellPolicy::kRun);
  if (action == "snapshot") options.snapshots = words[5];
  if (writes || action == "cold" || action == "restricted") Write(options, words[3], words.back());
  if (action == "table") {
    const auto tree = Load(options);
    const auto results = tree->shell_results();
    WriteOut(words[3], WriteShellTable(ShellTable(results.begin(), results.end())));
  }
  if (action == "phases") Phases(options, words[4]);
  if (action == "changes") Changes(options);
  if (action == "copies") {
    Copies(options, static_cast<std::size_t>(std::atol(words.back().c_str())));
  }
  return 0;
}

}  // namespace
}  // namespace hone::kconfig

int main(int count, char** words) { return hone::kconfig::Main({words + 1, words + count}); }
