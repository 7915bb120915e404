// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/chat/chat_model.h"
#include "hone/agent/kernel/kernel_attempt.h"

namespace hone::agent {

// What a model is told of the problem. Texts come from problem files: they are quoted, with limits.
struct KernelBrief {
  std::string problem;    // Its name.
  std::string statement;  // What is to be computed: arrays, shapes, the form of the function.
  std::string reference;  // The source that it is compared with.
  std::string language;   // Of the source: "cpp", "cuda", "python"; also the mark of a code block.
  std::string rules;      // What the policy forbids, in sentences.
};

// How many bytes of a part of a prompt are shown at most. What is cut is said.
struct KernelPromptLimits {
  std::size_t statement = 6'000;
  std::size_t source = 12'000;  // Of the reference, and of each attempt.
  std::size_t feedback = 1'500;
};

// Asks for a first source, or for a better one than the attempts that are shown: one is to be
// improved, of several the good parts are to be joined.
std::vector<ChatMessage> KernelMessages(const KernelBrief& brief,
                                        const std::vector<KernelAttempt>& shown,
                                        const KernelPromptLimits& limits = {});

// The source in an answer: the last whole block between lines of ```, since models show drafts
// first; without one the answer itself if it looks like nothing but code. Thinking does not count.
// Empty if there is none.
std::string SourceIn(std::string_view answer);

}  // namespace hone::agent
