// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/tune/campaign/campaign_history.h"

// A campaign for other programs. docs/formats/export.md describes both forms.
namespace hone::tune {

inline constexpr int kExportVersion = 1;

// Everything that is stored, in one document.
std::string ExportJson(const CampaignHistory& history);

// One line a run, after a header (RFC 4180). Blocks in which nothing ran have no line.
std::string ExportCsv(const CampaignHistory& history);

}  // namespace hone::tune
