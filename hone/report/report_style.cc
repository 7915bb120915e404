// SPDX-License-Identifier: Apache-2.0
#include "hone/report/report_style.h"

#include "hone/core/embedded_file.h"

HONE_EMBED(kHoneReportStyle, HONE_REPORT_STYLE_FILE)

namespace hone::report {

std::string_view ReportStyle() { return kHoneReportStyle(); }

}  // namespace hone::report
