// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/tree_snapshot.h"

#include <fmt/format.h>

#include <ctime>
#include <future>

#include "hone/base/sha256.h"
#include "hone/kconfig/files/load.h"
#include "hone/kconfig/files/snapshot_file.h"
#include "hone/kconfig/files/tree_image.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

void AppendDialect(const Dialect& dialect, std::string& out) {
  // A name for each field: a new field does not compile until it is here.
  const auto& [name, prefix, macros, bare_variables, options, modules_word, dashed_help,
               relative_source, source_globs, joined_lines, typed_defaults, transitional,
               config_defaults, quoted_choices, reset, conditional_depends, path_words, bare_texts,
               may_miss_source, may_miss, may_cycle, refuses_second, folds, choice_rules,
               numeric_zero, forgets, strong, default_no, defconfig_list, raw_strings, writes_all,
               version_heading, fixed_version, config_variable, end_comments, empty_menus_end,
               hash_buckets] = dialect;
  out += fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", name, prefix, may_miss, version_heading,
                     fixed_version, config_variable);
  for (const bool flag :
       {macros,          bare_variables,  options,      modules_word,        dashed_help,
        relative_source, source_globs,    joined_lines, typed_defaults,      transitional,
        config_defaults, quoted_choices,  reset,        conditional_depends, path_words,
        bare_texts,      may_miss_source, may_cycle,    refuses_second,      folds,
        numeric_zero,    forgets,         strong,       default_no,          defconfig_list,
        raw_strings,     writes_all,      end_comments, empty_menus_end}) {
    out += flag ? '1' : '0';
  }
  out += fmt::format("\n{} {}\n", static_cast<int>(choice_rules), hash_buckets);
}

std::string LoadIdentity(const LoadOptions& options) {
  std::string identity;
  for (const auto* list : {&options.folders, &options.granted}) {
    for (const fs::path& folder : *list) {
      std::error_code ignored;
      identity += fs::absolute(folder.empty() ? "." : folder, ignored).string() + '\n';
    }
    identity += '\n';
  }
  identity += fmt::format("{}\n{}\n{}\n", options.file, options.shell_folder,
                          static_cast<int>(options.shell));
  AppendDialect(options.dialect, identity);
  return identity;
}

// A tree has one for each architecture and compiler.
std::string SnapshotName(std::string identity, const Environment& environment) {
  for (const char* name : {"ARCH", "SRCARCH", "CROSS_COMPILE", "CC"}) {
    const auto found = environment.find(name);
    identity += found == environment.end() ? "\n" : found->second + "\n";
  }
  return Sha256Of(identity) + ".tree";
}

}  // namespace

TreeSnapshot::TreeSnapshot(const LoadOptions& options) : options_(options) {
  if (options.snapshots.empty()) return;
  identity_ = LoadIdentity(options);
  file_ = options.snapshots / SnapshotName(identity_, options.environment);
  began_s_ = std::time(nullptr);
}

std::optional<TreeSnapshot::Kept> TreeSnapshot::Find(const KnownResults& known) const {
  if (file_.empty()) return std::nullopt;
  auto file = SnapshotFile::Open(file_);
  if (!file) return std::nullopt;
  const SnapshotKey key(file->key());
  if (key.is_damaged() || key.identity() != identity_) return std::nullopt;
  if (!key.HoldsVariables(options_.environment)) return std::nullopt;
  // The files are looked at while the tree is made.
  auto holds_files = std::async(std::launch::async, [&] {
    return key.HoldsFiles(SourceFolders(options_.folders, options_.granted));
  });
  if (!key.HoldsResults(known)) return std::nullopt;
  const auto body = file->ReadBody();
  if (!body) return std::nullopt;
  Kept kept{TreeFromImage(*body, options_.dialect, file->storage()),
            {key.info().begin(), key.info().end()}};
  if (kept.tree == nullptr || !holds_files.get()) return std::nullopt;
  if (const auto renewed = key.Renewed(began_s_)) WriteSnapshot(file_, *renewed, *body);
  return kept;
}

void TreeSnapshot::Keep(const Tree& tree, FileInputs files,
                        std::span<const std::string> info) const {
  if (file_.empty()) return;
  const TreeInputs inputs{.identity = identity_,
                          .files = std::move(files),
                          .variables = tree.environment(),
                          .unset = tree.unset_variables(),
                          .results = tree.shell_results(),
                          .info = info};
  WriteSnapshot(file_, SnapshotKeyOf(inputs, began_s_), ImageOf(tree));
}

}  // namespace hone::kconfig
