// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/mcp/argument_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hone/core/nearest.h"

namespace hone::agent {
namespace {

Error Misfit(const std::string& where, const std::string& what) {
  return {Errc::kInvalidArgument, fmt::format("{}: {}", where.empty() ? "arguments" : where, what)};
}

bool IsOfType(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  return type == "null" && value.is_null();
}

std::string Shown(const Json& value) {
  const std::string text = Dump(value);
  return text.size() <= 60 ? text : text.substr(0, 60) + "…";
}

Result<void> CheckBounds(const Json& value, const Json& schema, const std::string& where) {
  const auto bound = [&](const char* name, double size, bool is_min,
                         std::string_view unit) -> Result<void> {
    const auto found = schema.find(name);
    if (found == schema.end()) return {};
    const double limit = found->get<double>();
    if (is_min ? size >= limit : size <= limit) return {};
    return Misfit(where, fmt::format("expected {} {:g}{}, found {:g}",
                                     is_min ? "at least" : "at most", limit, unit, size));
  };
  if (value.is_number()) {
    if (auto low = bound("minimum", value.get<double>(), true, ""); !low) return low;
    return bound("maximum", value.get<double>(), false, "");
  }
  if (value.is_string()) {
    const auto size = static_cast<double>(value.get_ref<const std::string&>().size());
    if (auto low = bound("minLength", size, true, " characters"); !low) return low;
    return bound("maxLength", size, false, " characters");
  }
  if (!value.is_array()) return {};
  const auto size = static_cast<double>(value.size());
  if (auto low = bound("minItems", size, true, " items"); !low) return low;
  return bound("maxItems", size, false, " items");
}

Result<void> CheckValue(const Json& value, const Json& schema, const std::string& where);

Result<void> CheckMembers(const Json& value, const Json& schema, const std::string& where) {
  const Json properties = schema.value("properties", Json::object());
  for (const Json& name : schema.value("required", Json::array())) {
    if (!value.contains(name.get<std::string>())) {
      return Misfit(where, fmt::format("{} is missing", name.get<std::string>()));
    }
  }
  const Json others = schema.value("additionalProperties", Json(true));
  for (const auto& [name, member] : value.items()) {
    const std::string path = where.empty() ? name : fmt::format("{}.{}", where, name);
    if (const auto known = properties.find(name); known != properties.end()) {
      if (auto fits = CheckValue(member, *known, path); !fits) return fits;
    } else if (others.is_object()) {
      if (auto fits = CheckValue(member, others, path); !fits) return fits;
    } else if (others == false) {
      std::vector<std::string> names;
      for (const auto& [there, facts] : properties.items()) names.push_back(there);
      return Error{Errc::kInvalidArgument, NoSuch("argument", path, names)};
    }
  }
  return {};
}

Result<void> CheckValue(const Json& value, const Json& schema, const std::string& where) {
  if (const auto type = schema.find("type"); type != schema.end() && type->is_string()) {
    const auto name = type->get<std::string>();
    if (!IsOfType(value, name)) {
      return Misfit(where,
                    fmt::format("expected {} {}, found {}",
                                name.find_first_of("aeiou") == 0 ? "an" : "a", name, Shown(value)));
    }
  }
  if (const auto choices = schema.find("enum"); choices != schema.end()) {
    if (std::find(choices->begin(), choices->end(), value) == choices->end()) {
      return Misfit(where,
                    fmt::format("expected one of {}, found {}", Dump(*choices), Shown(value)));
    }
  }
  if (auto fits = CheckBounds(value, schema, where); !fits) return fits;
  if (value.is_object()) return CheckMembers(value, schema, where);
  const auto items = schema.find("items");
  if (!value.is_array() || items == schema.end()) return {};
  for (std::size_t k = 0; k < value.size(); ++k) {
    const std::string path = fmt::format("{}[{}]", where, k);
    if (auto fits = CheckValue(value[k], *items, path); !fits) return fits;
  }
  return {};
}

}  // namespace

Result<void> CheckArguments(const Json& arguments, const Json& schema) {
  return CheckValue(arguments, schema, "");
}

}  // namespace hone::agent
