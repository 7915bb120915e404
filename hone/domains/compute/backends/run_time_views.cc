// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/run_time_views.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace hone::compute {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kOurs = {"libc.so.", "libm.so.", "libstdc++.so.",
                                                   "libgcc_s.so.", "ld-linux"};
// A compiler's too, beside its others: threads, and the one that a bundle has inside.
constexpr std::array<std::string_view, 2> kBeside = {"libgomp.so.1", "libstdc++.so.6"};
constexpr const char* kLoaderCache = "/etc/ld.so.cache";

int Collect(dl_phdr_info* info, std::size_t, void* found) {
  const fs::path path = info->dlpi_name;
  const std::string name = path.filename().native();
  if (std::ranges::any_of(kOurs, [&](std::string_view ours) { return name.starts_with(ours); })) {
    static_cast<std::vector<fs::path>*>(found)->push_back(path);
  }
  return 0;
}

}  // namespace

// What this program itself was loaded with is what a kernel is loaded with.
std::vector<SandboxView> RunTimeViews() {
  std::vector<fs::path> files;
  dl_iterate_phdr(Collect, &files);
  if (files.empty()) return StandardViews();  // We are linked statically.
  std::vector<SandboxView> views;
  std::error_code failed;
  for (const fs::path& file : files) {
    views.push_back({fs::canonical(file, failed), file});
    if (!file.filename().native().starts_with("libgcc_s")) continue;
    for (const std::string_view name : kBeside) {
      const fs::path other = file.parent_path() / name;
      const bool is_known = std::ranges::find(files, other) != files.end();
      if (!is_known && fs::exists(other, failed)) {
        views.push_back({fs::canonical(other, failed), other});
      }
    }
  }
  if (fs::exists(kLoaderCache, failed)) views.push_back({kLoaderCache});
  return views;
}

}  // namespace hone::compute
