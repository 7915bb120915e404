// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/agent/knowledge/knowledge_answers.h"
#include "hone/agent/knowledge/knowledge_base.h"
#include "hone/agent/knowledge/knowledge_search.h"
#include "hone/agent/knowledge/measured.h"
#include "hone/base/json/json.h"
#include "hone/cli/console.h"

// What `hone knowledge` shows. Passages come from trees that nobody vouches for: nothing in them
// reaches the terminal as a command.
namespace hone::cli {

// Each hit with its name, a few lines of it, and its source.
std::string HitsText(const std::vector<agent::KnowledgeHit>& hits, const Ink& ink,
                     std::size_t width);

// All passages about a name, whole.
std::string NameText(const agent::NameAnswer& answer, const Ink& ink, std::size_t width);

// One line an effect: what, from, to, worth, how it was measured, campaign.
std::string EffectsText(const std::vector<agent::MeasuredEffect>& effects);

std::string ContentsText(const agent::BaseContents& contents, const std::string& path);
Json ContentsJson(const agent::BaseContents& contents, const std::string& path);

}  // namespace hone::cli
