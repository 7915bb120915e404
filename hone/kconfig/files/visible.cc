// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/visible.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "hone/base/process/find_program.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

// What the Makefiles of Linux and its relatives export, and what people set for them. Nothing here
// is a secret of its user: HOME, tokens and keys are not among them.
constexpr std::string_view kNames[] = {"ARCH",
                                       "SRCARCH",
                                       "SUBARCH",
                                       "HEADER_ARCH",
                                       "UTS_MACHINE",
                                       "srctree",
                                       "objtree",
                                       "abs_srctree",
                                       "abs_objtree",
                                       "srcroot",
                                       "VPATH",
                                       "KERNELVERSION",
                                       "KERNELRELEASE",
                                       "CONFIG_",
                                       "CONFIG_SHELL",
                                       "MAKE",
                                       "LLVM",
                                       "LLVM_IAS",
                                       "CLANG_FLAGS",
                                       "CC_VERSION_TEXT",
                                       "RUSTC_VERSION_TEXT",
                                       "PAHOLE_VERSION",
                                       "AWK",
                                       "PERL",
                                       "PYTHON",
                                       "PYTHON3",
                                       "BASH",
                                       "LEX",
                                       "YACC",
                                       "M4",
                                       "TZ",
                                       "KBUILD_DEFCONFIG",
                                       "KBUILD_KCONFIG",
                                       "KBUILD_EXTMOD",
                                       "KBUILD_VERBOSE",
                                       "KBUILD_HOSTCFLAGS",
                                       "KBUILD_HOSTLDFLAGS",
                                       "HOSTCFLAGS",
                                       "HOSTLDFLAGS",
                                       "USERCFLAGS",
                                       "USERLDFLAGS",
                                       "HOSTARCH",
                                       "HOST_GCC_VERSION",
                                       "UBOOTVERSION",
                                       "UBOOTRELEASE",
                                       "XEN_FULLVERSION",
                                       "BOARD",
                                       "SHIELD",
                                       "ARCH_DIR",
                                       "SOC_DIR",
                                       "BOARD_DIR",
                                       "TOPDIR",
                                       "APPSDIR",
                                       "APPSBINDIR",
                                       "BASE_DIR",
                                       "VERSION",
                                       "top",
                                       "src",
                                       "obj",
                                       "BINDIR",
                                       "EXTERNALDIR"};

// Families of variables of one project each.
constexpr std::string_view kPrefixes[] = {"KCONFIG_", "BR2_", "UK_",        "ZEPHYR_",
                                          "IDF_",     "CT_",  "COMPONENT_", "SHIELD_"};

constexpr std::string_view kUserTools[] = {
    "CC",      "LD",        "AR",      "NM",      "OBJCOPY",       "OBJDUMP",
    "READELF", "STRIP",     "HOSTCC",  "HOSTCXX", "HOSTLD",        "HOSTAR",
    "RUSTC",   "HOSTRUSTC", "BINDGEN", "PAHOLE",  "CROSS_COMPILE", "CROSS_COMPILE_COMPAT"};

constexpr std::string_view kSystem[] = {"/usr",   "/bin",   "/sbin",  "/lib",
                                        "/lib32", "/lib64", "/libx32"};

constexpr const char* kUsualPath = "/usr/local/bin:/usr/bin:/bin";

bool IsBelow(const fs::path& path, const fs::path& folder) {
  const std::string text = path.string();
  const std::string start = folder.string();
  return text == start || text.starts_with(start.ends_with('/') ? start : start + "/");
}

bool IsSystem(const fs::path& path) {
  return std::any_of(std::begin(kSystem), std::end(kSystem),
                     [&](std::string_view folder) { return IsBelow(path, folder); });
}

bool IsTool(std::string_view name) {
  return std::find(std::begin(kUserTools), std::end(kUserTools), name) != std::end(kUserTools);
}

bool IsForTrees(std::string_view name, const LoadOptions& options) {
  return options.passed.contains(name) || IsTool(name) ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string FirstWord(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, text.find(' ', begin) - begin);
}

// Where a toolchain has its parts, if that is what it is; otherwise the folder itself.
fs::path ToolchainOf(const fs::path& folder) {
  std::error_code ignored;
  fs::path prefix = folder.parent_path();
  if (folder.filename() != "bin") return folder;
  for (const char* part : {"lib/gcc", "libexec/gcc", "lib/clang", "lib/rustlib"}) {
    if (fs::is_directory(prefix / part, ignored)) return prefix;
  }
  return folder;
}

// A home, or a folder directly below the root, holds more than tools.
bool HoldsTooMuch(const fs::path& folder) {
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/' && IsBelow(fs::path(home).lexically_normal(), folder)) {
    return true;
  }
  return folder == "/" || folder.parent_path() == "/";
}

// By its real name, and by the one that it was given if that is another.
void AddFolder(std::vector<fs::path>& folders, const fs::path& folder) {
  std::error_code fault;
  const fs::path given = folder.empty() ? "." : folder;
  const fs::path real = fs::canonical(given, fault);
  if (fault) return;
  for (const fs::path& name : {real, fs::absolute(given).lexically_normal()}) {
    const fs::path plain = name.has_filename() ? name : name.parent_path();
    if (IsSystem(real) || IsSystem(plain)) continue;
    if (std::find(folders.begin(), folders.end(), plain) == folders.end()) {
      folders.push_back(plain);
    }
  }
}

Result<void> AddTools(std::vector<fs::path>& folders, const LoadOptions& options) {
  for (const std::string_view name : kUserTools) {
    const auto found = options.environment.find(name);
    if (found == options.environment.end()) continue;
    const fs::path tool = FirstWord(found->second);
    std::error_code ignored;
    if (!tool.is_absolute()) continue;
    for (const fs::path& place : {tool, fs::canonical(tool, ignored)}) {
      const fs::path folder = place.parent_path();
      if (place.empty() || IsSystem(folder)) continue;
      const bool is_seen = std::any_of(folders.begin(), folders.end(),
                                       [&](const fs::path& one) { return IsBelow(folder, one); });
      if (is_seen) continue;
      const fs::path toolchain = ToolchainOf(folder);
      if (HoldsTooMuch(toolchain)) {
        return Error{Errc::kInvalidArgument,
                     fmt::format("{}={}: the tree's commands would see all of {}; move the tool to "
                                 "a folder of its own, or grant one with --read DIR",
                                 name, found->second, toolchain.string())};
      }
      AddFolder(folders, toolchain);
    }
  }
  return {};
}

bool IsVisible(const fs::path& path, const std::vector<fs::path>& folders) {
  return IsSystem(path) || std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
           return IsBelow(path, folder);
         });
}

std::string VisiblePath(const std::string& path, const std::vector<fs::path>& folders) {
  std::string visible;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string folder = path.substr(at, end - at);
    at = end + 1;
    if (!folder.starts_with('/') || !IsVisible(fs::path(folder).lexically_normal(), folders)) {
      continue;
    }
    visible += (visible.empty() ? "" : ":") + folder;
  }
  return visible.empty() ? kUsualPath : visible;
}

}  // namespace

Result<std::vector<fs::path>> VisibleFolders(const LoadOptions& options) {
  std::vector<fs::path> folders;
  for (const auto* list : {&options.folders, &options.granted}) {
    for (const fs::path& folder : *list) AddFolder(folders, folder);
  }
  if (auto added = AddTools(folders, options); !added) return added.error();
  return folders;
}

Environment VisibleEnvironment(const LoadOptions& options) {
  Environment visible;
  for (const auto& [name, value] : options.environment) {
    if (IsForTrees(name, options)) visible.emplace(name, value);
  }
  const auto path = options.environment.find("PATH");
  visible["PATH"] = VisiblePath(path == options.environment.end() ? "" : path->second,
                                VisibleFolders(options).value_or(std::vector<fs::path>()));
  return visible;
}

std::string VisibleWorkFolder(const LoadOptions& options, const std::vector<fs::path>& folders) {
  std::error_code fault;
  const fs::path folder =
      fs::canonical(options.shell_folder.empty() ? "." : options.shell_folder, fault);
  if (fault) return options.shell_folder;
  return IsVisible(folder, folders) ? folder.string() : "";
}

std::vector<std::string> HiddenTools(const LoadOptions& options, std::span<const NamedText> used) {
  std::vector<std::string> hidden;
  const auto folders = VisibleFolders(options);
  const auto path = options.environment.find("PATH");
  if (!folders || path == options.environment.end()) return hidden;
  for (const auto& [name, unused] : used) {
    const auto found = options.environment.find(name);
    if (!IsTool(name) || found == options.environment.end()) continue;
    const std::string tool = FirstWord(found->second);
    if (tool.empty() || tool.find('/') != tool.npos) continue;
    const auto place = FindProgram(tool, path->second);
    if (!place || IsVisible(fs::path(*place).lexically_normal(), *folders)) continue;
    hidden.push_back(
        fmt::format("{}={} is {}, which the tree's commands do not see: they take another one, or "
                    "none; --read DIR shows them its folder",
                    name, tool, *place));
  }
  return hidden;
}

}  // namespace hone::kconfig
