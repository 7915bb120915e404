// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/problem/kernelbench_checkout.h"

// Problems of a person's own in folders of one folder: docs/formats/problem.md.
namespace hone::compute {

// "5a0c3f…": what a source is known by.
std::string SourceDigest(const std::string& source);

// Where it is in the folder of imported problems.
std::filesystem::path FolderOfImported(const std::filesystem::path& into, const std::string& name);

enum class Written { kNew, kUpdated, kUnchanged };

// Makes the problem's folder, in one step for whoever reads it. One that has this source already is
// left as it is, with what was changed in its problem.json; another one is replaced. The caller is
// the only writer of `into`.
Result<Written> WriteImported(const std::filesystem::path& into,
                              const KernelBenchCheckout& checkout, const CheckoutFile& file,
                              const std::string& source);

// Takes away what a writer that was killed left.
void ClearUnfinished(const std::filesystem::path& into);

// Names of the problems in this folder, at most two folders deep, in the order of people: 2 before
// 10. Links are not followed. None if there is no such folder.
std::vector<std::string> ImportedNames(const std::filesystem::path& into);

}  // namespace hone::compute
