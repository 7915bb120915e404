// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "hone/sandbox/warden.h"

// The parts of the warden, which is a program of its own; see warden.h. Nothing here is part of the
// library. There are no exceptions and hardly any memory: a failure is reported, and that is the
// end.
namespace hone::warden {

// Goes through what follows the head of the recipe.
class Reader {
 public:
  Reader(const char* at, const char* end) : at_(at), end_(end) {}

  const char* Text();
  const char* Bytes(std::size_t size);

 private:
  const char* at_;
  const char* end_;
};

constexpr int kMaxViews = 256;

struct Recipe {
  const WardenRecipe& head;
  const void* filter;
  Reader rest;
  const char* writable[kMaxViews] = {};  // Views that may be written to, found in `rest`.
  unsigned writable_count = 0;
};

[[noreturn]] void Fail(WardenStage stage, int index = 0);
inline void Need(bool is_good, WardenStage stage, int index = 0) {
  if (!is_good) Fail(stage, index);
}

// Where failures are reported.
extern int report_socket;
extern std::uint32_t lacking_parts;

// The recipe that Hone left, with its rest still to be read.
Recipe ReadRecipe();
char** ReadList(Reader& rest, unsigned count);

// The kernel's choice when memory runs out should be the program, not us.
void OfferToOom();
void HideHostName(const WardenRecipe& head);

// Until Hone has mapped the user; ends us if Hone is gone.
void WaitForGo();

// Every signal back to its default.
void ResetSignals();

// Reads the views off the recipe and takes them from the machine, with the rights of who started
// us.
void CopyViews(Recipe& recipe);

// Reads links and files off the recipe and makes the root of the file system of all.
void BuildRoot(Recipe& recipe);

// Takes all rights from this process and those that it starts, for good.
void DropCapabilities();

// Lays the limits, Landlock and the filter on this process.
void Confine(const Recipe& recipe);

}  // namespace hone::warden
