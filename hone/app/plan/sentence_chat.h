// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/agent/chat/chat_model.h"
#include "hone/core/result.h"
#include "hone/domains/sysctl/knowledge/sentence.h"

namespace hone::app {

// What a sentence asks for, as a language model reads it: one of our presets, an aim, and
// parameters beside, of which only those are taken that the rules may add too (sysctl::MayAdd). An
// Error if the model gives no such answer; then the rules of sysctl::ChooseFor are there.
Result<sysctl::SentenceChoice> ChooseByChat(const std::string& sentence, agent::ChatModel& model);

}  // namespace hone::app
