// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace hone::report {

// The report's style sheet, report.css.
std::string_view ReportStyle();

}  // namespace hone::report
