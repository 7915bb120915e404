// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hone/base/descriptor.h"
#include "hone/core/embedded_file.h"
#include "hone/core/result.h"

namespace hone {

// A program that is embedded in a library (.incbin), as a file in memory that can be
// executed. Its number is above those that programs are handed at their start (10 or more), so that
// installing one descriptor does not overwrite another.
Result<Descriptor> UnpackProgram(const char* name, std::string_view image);

// For execution by this process, and by its children until they execute something.
std::string PathOfProgram(int file);

}  // namespace hone

// Defines `Result<int> function()`, inside a namespace: the program of the file at `path` (of
// hone_embed()), open for execution as long as this process lives. It is laid out in memory once.
#define HONE_EMBED_PROGRAM(function, name, path)                                                \
  HONE_EMBED(kHone##function, path)                                                             \
  ::hone::Result<int> function() {                                                              \
    static const auto* const file =                                                             \
        new ::hone::Result<::hone::Descriptor>(::hone::UnpackProgram(name, kHone##function())); \
    if (!*file) return file->error();                                                           \
    return (*file)->get();                                                                      \
  }
