// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hone/core/result.h"

// What every implementation of KernelFiles makes of the kernel's texts and errors.
namespace hone::sysctl {

// Without the newline at its end, and with one blank for every run of tabs and blanks.
std::string CleanText(std::string_view raw);

// "madvise" of "always [madvise] never"; other texts as CleanText gives them. Only sysfs shows
// choices so: a sysctl (core_pattern) may hold brackets of its own.
std::string ChosenText(const std::string& path, std::string_view raw);

// What a failed open(2) means. kNotFound: no such parameter.
Error OpenError(const std::string& path, int number);

// What a failed read(2) of an open parameter means.
Error ReadError(const std::string& path, int number);

// What a failed write(2) to an open parameter means. ENOENT is a refused value here: no such
// congestion control.
Error WriteError(const std::string& path, const std::string& text, int number);

}  // namespace hone::sysctl
