// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/kbuild.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "hone/base/announce.h"
#include "hone/base/file.h"
#include "hone/base/host.h"
#include "hone/base/sha256.h"
#include "hone/domains/kconfig/build/build_trees.h"
#include "hone/domains/kconfig/build/kernel_store.h"
#include "hone/domains/kconfig/build/tree_identity.h"
#include "hone/sandbox/sandbox.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownLog = 16 << 10;
constexpr std::size_t kMaxLog = 8 << 20;
constexpr std::size_t kMaxConfig = 64 << 20;
constexpr std::size_t kMaxNamedOptions = 8;

// Nothing of the moment, the machine or the user goes into a kernel.
std::vector<std::string> Recipe(const KernelSource& source) {
  return {"make",
          "-C",
          "/source",
          "O=/build",
          "ARCH=" + source.arch.name,
          "CROSS_COMPILE=" + source.cross,
          "KBUILD_BUILD_TIMESTAMP=Thu Jan  1 00:00:00 UTC 1970",
          "KBUILD_BUILD_USER=hone",
          "KBUILD_BUILD_HOST=hone",
          "KBUILD_BUILD_VERSION=1",
          source.arch.target};
}

std::vector<std::string> MakeArguments(const KernelSource& source) {
  std::vector<std::string> arguments = Recipe(source);
  arguments.push_back(fmt::format("-j{}", std::max(1U, std::thread::hardware_concurrency())));
  return arguments;
}

// What was made by another recipe is another kernel, and its objects would all be made again.
std::string KeyOf(const KernelSource& source, const std::string& essence) {
  return fmt::format("tree {}\narch {}\ncompiler {}\ntools {}\nrecipe {}\n{}", source.identity,
                     source.arch.name, source.compiler, source.tools,
                     fmt::join(Recipe(source), " "), essence);
}

std::string FolderNameOf(const KernelSource& source) {
  return fmt::format("{}-{}-{}", source.version, source.arch.name, Sha256Of(KeyOf(source, "")));
}

// Its own makefile lies beside its image: arch/x86/boot/bzImage.
std::set<std::string> FlagOptionsOf(const KernelSource& source) {
  return FlagOptions(source.tree, fs::path(source.arch.image).parent_path().parent_path());
}

std::string TailOf(const std::string& text) {
  return text.size() <= kShownLog ? text : text.substr(text.size() - kShownLog);
}

// The line that says why make gave up: a compiler's or linker's error, else make's own.
std::string FirstErrorIn(const std::string& log) {
  for (const char* sign : {" error: ", "undefined reference", "fatal error", "*** "}) {
    const std::size_t at = log.find(sign);
    if (at == std::string::npos) continue;
    const std::size_t begin = log.rfind('\n', at) + 1;
    return log.substr(begin, log.find('\n', at) - begin);
  }
  return "make failed and did not say why";
}

void AnnounceBuild(std::optional<std::size_t> objects) {
  Announce(objects ? fmt::format("building a kernel, about {} object{}", *objects,
                                 *objects == 1 ? "" : "s")
                   : std::string("building the first kernel of this tree: some minutes"));
}

// A build can put links in the place of its own files and folders, to another kernel for example.
bool LiesIn(const fs::path& folder, const fs::path& name) {
  std::error_code fault;
  const fs::path file = fs::canonical(folder / name, fault);
  return !fault && file == fs::canonical(folder, fault) / name && fs::is_regular_file(file, fault);
}

int CompiledIn(const std::string& log) {
  std::istringstream lines(log);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  CC  ") || line.starts_with("  AS  ")) ++count;
  }
  return count;
}

// "CONFIG_SMP, CONFIG_HZ and 3 more"
std::string NamesOf(const std::set<std::string>& options) {
  std::vector<std::string> shown(options.begin(), options.end());
  const std::size_t more = shown.size() > kMaxNamedOptions ? shown.size() - kMaxNamedOptions : 0;
  shown.resize(shown.size() - more);
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

}  // namespace

struct Kbuild::Parts {
  Parts(KernelSource from, const fs::path& cache)
      : source(std::move(from)),
        digests(DigestsFolder(cache)),
        store(cache / "kernels" / FolderNameOf(source)),
        trees(cache / "kernel-trees" / FolderNameOf(source), FlagOptionsOf(source)) {}

  // An empty folder in the place of what is no part of the tree's identity.
  Result<void> HideUnseen(const BuildFolder& folder, std::vector<SandboxView>& views) const {
    std::error_code fault;
    const auto kind = fs::symlink_status(source.tree / kUnseenFolder, fault).type();
    if (kind != fs::file_type::directory) return {};
    const fs::path empty = folder.place.path() / "empty";
    if (auto made = MakeFolder(empty); !made) return made;
    views.push_back({empty, fs::path("/source") / kUnseenFolder});
    return {};
  }

  // The tree as it is now; an Error if it is no longer the one that was opened.
  Result<TreeIdentity> LookAtTree() const {
    auto identity = IdentifyTree(source.tree, digests);
    if (!identity || identity->contents == source.identity) return identity;
    return Error{Errc::kStale,
                 fmt::format("{}: its files are others than when this began; begin again",
                             source.tree.string())};
  }

  // As it was, and not only again.
  Result<void> CheckUnchanged(const TreeIdentity& before) const {
    const auto after = LookAtTree();
    if (!after) return after.error();
    if (*after == before) return {};
    return Error{Errc::kUnavailable,
                 fmt::format("{}: was changed while a kernel was built from it, so nothing of that "
                             "is kept; try again when nobody writes there",
                             source.tree.string())};
  }

  Result<SandboxResult> Run(const BuildFolder& folder, std::vector<std::string> arguments,
                            std::chrono::milliseconds limit, const std::stop_token& stop) const {
    SandboxCommand command;
    command.arguments = std::move(arguments);
    command.environment = StandardEnvironment();
    command.environment["LC_ALL"] = "C";
    command.views = StandardViews();
    command.views.push_back({source.tree, "/source"});
    command.views.push_back({folder.objects(), "/build", true});
    if (auto hidden = HideUnseen(folder, command.views); !hidden) return hidden.error();
    command.limits.memory_mib = std::max<std::int64_t>(2048, MachineMemoryMib() / 2);
    command.limits.scratch_mib = 1024;
    command.limits.file_mib = 4096;
    command.limits.processes = 512;
    command.limits.open_files = 1024;
    command.limits.wall = limit;
    command.max_output = kMaxLog;
    command.stop = stop;
    return RunInSandbox(command);
  }

  // Of vmlinux, as `size` says it.
  Result<void> MeasureSize(const BuildFolder& folder, BuiltKernel& kernel) const {
    const auto ran =
        Run(folder, {source.cross + "size", "/build/vmlinux"}, std::chrono::minutes{1}, {});
    if (!ran) return ran.error();
    std::istringstream text(ran->output);
    std::string heading;
    std::getline(text, heading);
    if (text >> kernel.text_bytes >> kernel.data_bytes >> kernel.bss_bytes) return {};
    return Error{Errc::kUnavailable, fmt::format("the size of vmlinux: {}", ran->errors)};
  }

  Result<KernelBuild> Make(BuildFolder folder, const std::string& essence,
                           const KernelOrder& order) {
    if (auto written = WriteFileAtomically(folder.objects() / ".config", order.config); !written)
      return written.error();
    std::error_code fault;
    fs::permissions(folder.objects() / ".config", fs::perms(0666), fault);
    const auto tree = LookAtTree();
    if (!tree) return tree.error();
    auto ran = Run(folder, MakeArguments(source), order.limit, order.stop);
    if (!ran) return ran.error();
    if (order.stop.stop_requested()) return Error{Errc::kUnavailable, "asked to stop"};
    if (auto same = CheckUnchanged(*tree); !same) return same.error();
    KernelBuild build;
    build.log = TailOf(ran->output + ran->errors);
    const bool has_failed = ran->end != SandboxResult::End::kExited || ran->status != 0;
    if (has_failed && build.log.find("No space left on device") != std::string::npos) {
      return Error{Errc::kUnavailable,
                   fmt::format("the disk of {} is full", folder.place.path().string())};
    }
    const auto config = ReadRegularFile(folder.objects() / ".config", kMaxConfig);
    const auto other = DifferentOptions(essence, config ? EssenceOf(*config) : "");
    if (!other.empty()) {
      build.is_config_other = true;
      build.reason = "the tree's own tool gives other values to " + NamesOf(other);
      return build;
    }
    if (ran->end == SandboxResult::End::kTimedOut) {
      build.is_late = true;
      build.reason = fmt::format("was not built in {} s", order.limit.count() / 1000);
      return build;
    }
    if (has_failed) {
      build.reason = ran->is_memory_exceeded ? "the build ran out of memory"
                                             : FirstErrorIn(ran->errors + ran->output);
      return build;
    }
    return Finish(std::move(folder), essence, *ran, std::move(build));
  }

  Result<KernelBuild> Finish(BuildFolder folder, const std::string& essence,
                             const SandboxResult& ran, KernelBuild build) {
    BuiltKernel kernel;
    kernel.image = folder.objects() / source.arch.image;
    std::error_code fault;
    kernel.image_bytes = static_cast<std::int64_t>(fs::file_size(kernel.image, fault));
    if (fault || !LiesIn(folder.objects(), source.arch.image)) {
      build.reason = fmt::format("make made no {}", source.arch.image);
      return build;
    }
    kernel.took = std::chrono::duration_cast<std::chrono::milliseconds>(ran.wall);
    kernel.compiled = CompiledIn(ran.output);
    if (auto sized = MeasureSize(folder, kernel); !sized) return sized.error();
    auto kept = store.Keep(KeyOf(source, essence), kernel);
    if (!kept) return kept.error();
    trees.Keep(std::move(folder), essence);
    build.kernel = std::move(*kept);
    return build;
  }

  const KernelSource source;
  const fs::path digests;
  const KernelStore store;
  BuildTrees trees;
  std::mutex one_at_a_time;  // A build takes all processors.
};

Kbuild::Kbuild(KernelSource source, const fs::path& cache)
    : parts_(std::make_unique<Parts>(std::move(source), cache)) {}
Kbuild::~Kbuild() = default;

Result<KernelBuild> Kbuild::Build(const KernelOrder& order) {
  const std::string essence = EssenceOf(order.config);
  const std::string key = KeyOf(parts_->source, essence);
  const std::lock_guard lock(parts_->one_at_a_time);
  if (auto known = parts_->store.Find(key)) return KernelBuild{std::move(*known), true};
  AnnounceBuild(parts_->trees.CostOf(essence));
  auto folder = parts_->trees.Begin(essence);
  if (!folder) return folder.error();
  auto build = parts_->Make(std::move(*folder), essence, order);
  if (build && build->kernel) {
    Announce(fmt::format("built in {:.0f} s",
                         std::chrono::duration<double>(build->kernel->took).count()));
  }
  return build;
}

std::optional<std::size_t> Kbuild::CostOf(const std::string& config) {
  const std::string essence = EssenceOf(config);
  if (parts_->store.Find(KeyOf(parts_->source, essence))) return 0;
  return parts_->trees.CostOf(essence);
}

std::optional<std::size_t> Kbuild::CostBetween(const std::string& from, const std::string& to) {
  return parts_->trees.CostBetween(EssenceOf(from), EssenceOf(to));
}

}  // namespace hone::kernels
