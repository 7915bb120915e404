// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hone/agent/knowledge/documents.h"
#include "hone/agent/knowledge/knowledge_base.h"
#include "hone/agent/knowledge/passage.h"
#include "hone/core/result.h"
#include "hone/kconfig/reason/tree_index.h"

namespace hone::agent {

// A kernel's source tree, which nobody vouches for.
struct KnowledgeTree {
  std::filesystem::path root;
  std::shared_ptr<const kconfig::TreeIndex> options;
  DocumentLimits limits = {};
  std::map<std::string, std::string> facts = {};  // Kept in the base: "tree", "arch", "kernel".
};

struct BuildReport {
  std::size_t documents = 0;          // Files of the documentation.
  std::size_t changed_documents = 0;  // Those of them that were read anew.
  std::size_t options = 0;
  bool is_options_changed = false;
  std::size_t gone = 0;            // Origins that are no longer there.
  std::vector<std::string> notes;  // What was left out, and why.
};

// Brings the base up to date with the tree and with passages of our own, in one step: what did not
// change stays as it is, and a process that is killed leaves the old base. `tell` hears what is
// being done; may be null.
Result<BuildReport> BuildKnowledge(KnowledgeBase& base, const KnowledgeTree& tree,
                                   const std::vector<PassageGroup>& own,
                                   const std::function<void(const std::string& text)>& tell);

// The same for our own passages alone. False: nothing had changed.
Result<bool> RefreshOwn(KnowledgeBase& base, const std::vector<PassageGroup>& own);

}  // namespace hone::agent
