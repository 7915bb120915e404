// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hone/tune/campaign/campaign_history.h"

namespace hone::report {

// The plots of the report: the dashboard's own, as texts that can stand in a page. Without script
// there are the tables.
struct ReportScript {
  std::string_view script;
  std::string_view style;
  std::string digest;  // Of the script, as a content security policy names it: "sha256-…".
};

// One HTML page about a campaign, finished or not: what came out, how sure that is, what was tried,
// how noisy the machine was, how to do it again. It needs nothing from outside, can be read without
// its script, and stays below 2 MB, however long the campaign was. No other script may run in it;
// all texts of the campaign are escaped.
std::string RenderReport(const tune::CampaignHistory& history, const ReportScript& script = {});

}  // namespace hone::report
