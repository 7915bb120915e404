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
constexpr const char* kThreadLibrary =
    "libgomp.so.1";  // Not ours, but a compiler's, beside its others.
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
    const fs::path threads = file.parent_path() / kThreadLibrary;
    if (file.filename().native().starts_with("libgcc_s") && fs::exists(threads, failed)) {
      views.push_back({fs::canonical(threads, failed), threads});
    }
  }
  if (fs::exists(kLoaderCache, failed)) views.push_back({kLoaderCache});
  return views;
}

}  // namespace hone::compute
