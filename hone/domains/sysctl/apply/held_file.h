// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hone/domains/sysctl/apply/file_image.h"
#include "hone/domains/sysctl/apply/reload.h"

namespace hone::sysctl {

// A service's file under a transaction.
struct HeldFile {
  FileImage original;
  std::optional<FolderIdentity> folder;  // In which it was then; who puts it back wants no other.
                                         // Nothing: not looked at, or an older journal.
  Reload reload;                         // How the service takes up what is in the file.
  std::vector<std::string> check;  // Run before that, on what was put there: `nginx -t`. Not in the
                                   // journal: originals go back unchecked.

  bool operator==(const HeldFile&) const = default;
};

}  // namespace hone::sysctl
