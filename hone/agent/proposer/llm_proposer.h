// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/agent/chat/chat_model.h"
#include "hone/core/result.h"
#include "hone/tune/proposers/proposer.h"

namespace hone::agent {

// Where the model of a campaign comes from: a client, or what was recorded of one. An Error keeps
// the campaign from starting.
using ChatModelSource =
    std::function<Result<std::unique_ptr<ChatModel>>(const tune::ProposerSettings&)>;

// A language model proposes, the Gaussian process of `bayes` judges which of its proposals are
// worth a measurement, learns from all of them, and works alone where the model repeats itself,
// fails, is silent, or turns out worse. docs/algorithms/llm.md says why, with numbers.
//
// Its answers follow from its settings, the calls, and the model's answers in their order. The
// model is asked inside Ask, at most once, and never if it has nothing new to be told.
Result<std::unique_ptr<tune::Proposer>> MakeLlmProposer(const tune::ProposerSettings& settings,
                                                        std::unique_ptr<ChatModel> model);

tune::ProposerEntry LlmProposerEntry(ChatModelSource source);

}  // namespace hone::agent
