// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace hone::report {

// The report's style sheet: light, dark, print, and narrow screens. Its colours are told apart
// with all common kinds of colour vision (Okabe and Ito), and no meaning hangs on colour alone.
std::string_view ReportStyle();

}  // namespace hone::report
