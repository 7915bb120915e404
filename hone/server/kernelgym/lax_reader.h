// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"

namespace hone::server {

// One thing that is wrong with a request, in the words that KernelGYM's clients know.
struct Fault {
  std::string type;                // "missing", "int_parsing", …
  std::vector<std::string> place;  // {"body", "tasks", "0", "timeout"}
  std::string message;
};

// "[{'type': 'missing', 'loc': ('body', 'task_id'), 'msg': 'Field required'}]": as a Python
// program would print the list, without the input, which may be a whole kernel.
std::string ToText(const std::vector<Fault>& faults);

// Reads an object the way KernelGYM's server does: unknown members are ignored, "7" and 7.0 are 7,
// "yes" is true. Faults are collected, and a default is given in place of what is wrong.
class LaxReader {
 public:
  struct Range {
    std::int64_t min = std::numeric_limits<std::int64_t>::min();
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
  };

  // What is passed by reference outlives it.
  LaxReader(const Json& object, std::vector<std::string> place, std::vector<Fault>& faults);

  std::string RequiredString(const std::string& name);
  std::string String(const std::string& name, const std::string& fallback);  // null is a fault.
  std::optional<std::string> OptionalString(const std::string& name);        // null is none.
  std::int64_t Integer(const std::string& name, std::int64_t fallback, Range range);
  bool Bool(const std::string& name, bool fallback);
  std::optional<bool> OptionalBool(const std::string& name);
  std::string Choice(const std::string& name, const std::string& fallback,
                     const std::vector<std::string>& choices);

  // null if it is missing or null.
  const Json& Raw(const std::string& name) const;

  void Fail(const std::string& name, std::string type, std::string message);

 private:
  const Json* Find(const std::string& name) const;
  std::optional<std::string> StringIn(const std::string& name, const Json& json);
  std::optional<std::int64_t> IntegerIn(const std::string& name, const Json& json);
  std::optional<bool> BoolIn(const std::string& name, const Json& json);

  const Json& object_;
  const std::vector<std::string> place_;
  std::vector<Fault>& faults_;
};

// Characters, not bytes.
std::size_t LengthOf(std::string_view utf8);

}  // namespace hone::server
