// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/requests.h"

#include "hone/base/file.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;

std::string TextOf(KeepRequest request, const std::string& id) {
  return (request == KeepRequest::kConfirm ? "confirm " : "revert ") + id + "\n";
}

}  // namespace

fs::path RequestPathIn(const fs::path& folder) { return folder / "request"; }
fs::path NotePathIn(const fs::path& folder) { return folder / "last-restore.txt"; }

Result<void> WriteRequest(const fs::path& folder, KeepRequest request, const std::string& id) {
  return WriteFileDurably(RequestPathIn(folder), TextOf(request, id));
}

std::optional<KeepRequest> ReadRequest(const fs::path& folder, const std::string& id) {
  constexpr std::size_t kMax = 4096;
  const auto text = ReadFile(RequestPathIn(folder), kMax);
  if (!text) return std::nullopt;
  for (const KeepRequest request : {KeepRequest::kConfirm, KeepRequest::kRevert}) {
    if (*text == TextOf(request, id)) return request;
  }
  return std::nullopt;
}

}  // namespace hone::sysctl
