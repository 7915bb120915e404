// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "hone/core/result.h"

// What another process asks of the guardian that waits for a confirmation: a file in the folder.
namespace hone::sysctl {

enum class KeepRequest { kConfirm, kRevert };

std::filesystem::path RequestPathIn(const std::filesystem::path& folder);

// For the transaction with this id; one for another transaction is void.
Result<void> WriteRequest(const std::filesystem::path& folder, KeepRequest request,
                          const std::string& id);
std::optional<KeepRequest> ReadRequest(const std::filesystem::path& folder, const std::string& id);

// The guardian's note of what it did; see LastGuardianNote.
std::filesystem::path NotePathIn(const std::filesystem::path& folder);

}  // namespace hone::sysctl
