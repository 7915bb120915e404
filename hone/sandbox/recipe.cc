// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/recipe.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

#include "hone/sandbox/syscall_filter.h"
#include "hone/sandbox/warden.h"

namespace hone {
namespace {

constexpr std::int64_t kMib = 1 << 20;
constexpr std::int64_t kMaxMib = std::int64_t{1} << 40;
// Where a group counts processes, it should be the one that refuses, because it also tells.
constexpr int kSlack = 8;
constexpr int kMaxGpuProcesses = 30;  // Of which one can use the GPU.
constexpr std::size_t kMaxViews = 200;
constexpr std::size_t kMaxDescriptors = 64;

constexpr std::array kDevices{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};

// What is a link on the host becomes one inside.
constexpr std::array kRootLinks{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
// PyTorch does not start on ARM without the numbers of the processors.
constexpr std::array kStandard{"/usr",
                               "/etc/alternatives",
                               "/etc/ld.so.cache",
                               "/etc/ld.so.conf",
                               "/etc/ld.so.conf.d",
                               "/sys/devices/system/cpu/possible",
                               "/sys/devices/system/cpu/present"};

using Link = std::pair<std::string, std::string>;

bool HasNul(std::string_view text) { return text.find('\0') != text.npos; }

Error Invalid(const SandboxCommand& command, std::string_view what) {
  const std::string name = command.arguments.empty() ? "the sandbox" : command.arguments[0].c_str();
  return {Errc::kInvalidArgument, fmt::format("{}: {}", name, what)};
}

bool IsPlain(const std::filesystem::path& path) {
  return !HasNul(path.native()) && path == path.lexically_normal() &&
         std::none_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
}

bool IsName(const std::string& name) {
  const std::filesystem::path path(name);
  return !name.empty() && path.is_relative() && IsPlain(path) && path.has_filename();
}

const std::filesystem::path& InsideOf(const SandboxView& view) {
  return view.inside.empty() ? view.host : view.inside;
}

Result<void> ValidateViews(const SandboxCommand& command) {
  if (command.views.size() > kMaxViews) return Invalid(command, "more than 200 views");
  for (const SandboxView& view : command.views) {
    const auto& inside = InsideOf(view);
    if (!view.host.is_absolute() || HasNul(view.host.native())) {
      return Invalid(command, fmt::format("view {}: not an absolute path", view.host.native()));
    }
    const bool is_ours = inside == "/" || inside == "/scratch" || inside == "/proc" ||
                         inside == "/dev" || inside == "/tmp";
    if (!inside.is_absolute() || !IsPlain(inside) || !inside.has_filename() || is_ours) {
      return Invalid(command,
                     fmt::format("view at {}: must be an absolute path without \"..\", and not /, "
                                 "/scratch, /tmp, /proc or /dev",
                                 inside.native()));
    }
  }
  return {};
}

Result<void> ValidateTexts(const SandboxCommand& command) {
  if (command.arguments.empty() || command.arguments[0].empty()) {
    return Invalid(command, "no program was named");
  }
  if (std::any_of(command.arguments.begin(), command.arguments.end(), HasNul)) {
    return Invalid(command, "an argument holds a zero byte");
  }
  for (const auto& [key, value] : command.environment) {
    if (key.empty() || key.find('=') != key.npos || HasNul(key) || HasNul(value)) {
      return Invalid(command, fmt::format("bad environment variable \"{}\"", key));
    }
  }
  for (const auto& [name, content] : command.files) {
    if (!IsName(name)) return Invalid(command, fmt::format("file {}: not a plain name", name));
  }
  for (const std::string& name : command.keep) {
    if (!IsName(name)) return Invalid(command, fmt::format("keep {}: not a plain name", name));
  }
  return {};
}

Result<void> ValidateNumbers(const SandboxCommand& command) {
  const SandboxLimits& limits = command.limits;
  for (const auto& [name, value] :
       {std::pair<const char*, std::int64_t>{"memory", limits.memory_mib},
        {"scratch", limits.scratch_mib},
        {"file", limits.file_mib},
        {"processes", limits.processes},
        {"open files", limits.open_files}}) {
    if (value < 1 || value > kMaxMib) {
      return Invalid(command,
                     fmt::format("limit of {}: {} is not from 1 to {}", name, value, kMaxMib));
    }
  }
  if (!(limits.cpus >= 0 && limits.cpus <= 65536)) {
    return Invalid(command, fmt::format("limit of cpus: {} is not from 0 to 65536", limits.cpus));
  }
  if (command.descriptors.size() > kMaxDescriptors) {
    return Invalid(command, "more than 64 descriptors");
  }
  for (const int cpu : command.cpus) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) return Invalid(command, fmt::format("no CPU {}", cpu));
  }
  return {};
}

bool IsRootLink(const SandboxView& view) {
  return InsideOf(view) == view.host && view.host.parent_path() == "/" &&
         std::find(kRootLinks.begin(), kRootLinks.end(), view.host) != kRootLinks.end() &&
         std::filesystem::is_symlink(view.host);
}

std::vector<Link> LinksFor(const SandboxCommand& command) {
  std::vector<Link> links{{"/tmp", "scratch"},
                          {"/dev/shm", "/scratch"},
                          {"/dev/fd", "/proc/self/fd"},
                          {"/dev/stdin", "/proc/self/fd/0"},
                          {"/dev/stdout", "/proc/self/fd/1"},
                          {"/dev/stderr", "/proc/self/fd/2"}};
  // NVIDIA's driver looks its process up by number; a program is the second one in its sandbox, and
  // others may be its children.
  const int processes = command.gpu_nodes.empty() ? 0 : command.talks_inside ? kMaxGpuProcesses : 1;
  for (int number = 2; number < 2 + processes; ++number) {
    links.emplace_back(fmt::format("/proc/{}", number), fmt::format("pids/{}", number));
  }
  for (const SandboxView& view : command.views) {
    std::error_code failed;
    if (!IsRootLink(view)) continue;
    const auto target = std::filesystem::read_symlink(view.host, failed);
    if (!failed) links.emplace_back(view.host.native(), target.native());
  }
  // A view that lies there makes it a folder.
  std::erase_if(links, [&](const Link& link) {
    return std::any_of(command.views.begin(), command.views.end(), [&](const SandboxView& view) {
      return InsideOf(view).native().starts_with(link.first + "/");
    });
  });
  return links;
}

std::string PasswordFile() {
  return fmt::format("hone:x:{}:{}::/scratch:/bin/sh\n", kInsideUser, kInsideGroup);
}

// Writes the parts that follow the head.
class RecipeText {
 public:
  void Text(std::string_view text) {
    text_ += text;
    text_ += '\0';
  }
  void File(std::string_view path, std::string_view content) {
    Text(path);
    Text(std::to_string(content.size()));
    text_ += content;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

WardenRecipe Head(const SandboxCommand& command, const RecipeFacts& facts) {
  WardenRecipe head;
  head.optional_parts = facts.optional_parts;
  head.files = static_cast<std::uint32_t>(command.files.size());
  head.keep = static_cast<std::uint32_t>(command.keep.size());
  head.arguments = static_cast<std::uint32_t>(command.arguments.size());
  head.environment = static_cast<std::uint32_t>(command.environment.size());
  head.descriptors = static_cast<std::uint32_t>(command.descriptors.size());
  head.maps_itself = facts.maps_itself ? 1 : 0;
  head.outer_user = facts.outer_user;
  head.outer_group = facts.outer_group;
  head.has_own_name = facts.has_own_name ? 1 : 0;
  head.is_trial = facts.is_trial ? 1 : 0;
  // NVIDIA's driver does not start if it cannot name its threads, which is done by a file.
  head.writes_proc = command.gpu_nodes.empty() ? 0 : 1;
  head.is_pinned = command.cpus.empty() ? 0 : 1;
  head.has_fixed_addresses = command.has_fixed_addresses ? 1 : 0;
  head.processes = command.limits.processes + 1 + (facts.has_process_group ? kSlack : 0);
  head.open_files = command.limits.open_files;
  head.scratch_bytes = command.limits.scratch_mib * kMib;
  head.file_bytes = command.limits.file_mib * kMib;
  head.data_bytes = facts.has_memory_group ? 0 : command.limits.memory_mib * kMib;
  for (const int cpu : command.cpus) CPU_SET(static_cast<std::size_t>(cpu), &head.cpus);
  return head;
}

void AddViews(RecipeText& text, WardenRecipe& head, const SandboxCommand& command,
              const RecipeFacts& facts) {
  int next_tree = kWardenGiven + static_cast<int>(command.descriptors.size());
  for (const SandboxView& view : OrderedViews(command)) {
    const bool is_tree = facts.trees.contains(view.host);
    text.Text(is_tree ? "t" : view.is_writable ? "w" : "r");
    text.Text(is_tree ? std::to_string(next_tree++) : view.host.native());
    text.Text(InsideOf(view).native());
    ++head.views;
  }
  for (const auto& [path, target] : LinksFor(command)) {
    text.Text(path);
    text.Text(target);
    ++head.links;
  }
}

}  // namespace

std::vector<SandboxView> StandardViews() {
  std::vector<SandboxView> views;
  const auto add = [&views](const char* path) {
    std::error_code failed;
    if (std::filesystem::exists(path, failed)) views.push_back({path});
  };
  std::for_each(kStandard.begin(), kStandard.end(), add);
  std::for_each(kRootLinks.begin(), kRootLinks.end(), add);
  return views;
}

std::map<std::string, std::string> StandardEnvironment() {
  return {{"HOME", "/scratch"},
          {"LANG", "C.UTF-8"},
          {"PATH", "/usr/local/bin:/usr/bin:/bin"},
          {"TMPDIR", "/scratch"},
          {"USER", "hone"}};
}

Result<void> ValidateSandboxCommand(const SandboxCommand& command) {
  if (auto texts = ValidateTexts(command); !texts) return texts;
  if (auto views = ValidateViews(command); !views) return views;
  return ValidateNumbers(command);
}

std::vector<SandboxView> OrderedViews(const SandboxCommand& command) {
  std::vector<SandboxView> views;
  for (const SandboxView& view : command.views) {
    if (!IsRootLink(view)) views.push_back(view);
  }
  // A folder comes before what lies in it.
  std::stable_sort(views.begin(), views.end(), [](const SandboxView& a, const SandboxView& b) {
    return InsideOf(a) < InsideOf(b);
  });
  std::vector<SandboxView> all;
  all.reserve(kDevices.size() + command.gpu_nodes.size() + views.size());
  for (const char* device : kDevices) all.push_back({device});
  for (const auto& node : command.gpu_nodes) all.push_back({node});
  if (!command.kvm_node.empty()) all.push_back({command.kvm_node});
  all.insert(all.end(), views.begin(), views.end());
  return all;
}

Result<std::string> MakeRecipe(const SandboxCommand& command, const RecipeFacts& facts) {
  auto filter =
      SyscallFilter({!command.cpus.empty(), command.is_single, facts.has_memory_group,
                     !command.gpu_nodes.empty(), !command.kvm_node.empty(), command.talks_inside});
  if (!filter) return filter.error();
  WardenRecipe head = Head(command, facts);
  head.filter_length = static_cast<std::uint32_t>(filter->size() / 8);
  RecipeText text;
  AddViews(text, head, command, facts);
  text.File("/etc/passwd", PasswordFile());
  head.root_files = 1;
  for (const auto& [name, content] : command.files) text.File(name, content);
  for (const std::string& name : command.keep) text.Text(name);
  for (const std::string& argument : command.arguments) text.Text(argument);
  for (const auto& [key, value] : command.environment) text.Text(fmt::format("{}={}", key, value));
  std::string recipe(reinterpret_cast<const char*>(&head), sizeof head);
  recipe += *filter;
  recipe += text.text();
  return recipe;
}

}  // namespace hone
