// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/base/json/ordered_json.h"

namespace hone::llm {

class TemplateValue;

// A list, or a tuple, which differs from one only where it is written out or compared.
struct TemplateList {
  std::vector<TemplateValue> items;
  bool is_tuple = false;
  std::size_t depth = 1;  // Set when a value is made of it.
};

// Keys in the order in which they came.
class TemplateDict {
 public:
  const TemplateValue* Find(std::string_view key) const;
  void Set(const std::string& key, TemplateValue value);
  const std::vector<std::pair<std::string, TemplateValue>>& members() const { return members_; }
  std::size_t depth() const { return depth_; }

 private:
  std::vector<std::pair<std::string, TemplateValue>> members_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::size_t depth_ = 1;
};

struct MacroNode;

// What can be called: a function or method by name, or a macro of the template.
struct TemplateCallable {
  std::string name;
  std::shared_ptr<const TemplateValue> self;  // Of a method.
  const MacroNode* macro = nullptr;
};

// A value of a template, as Python would have it. Copies share what is large; only a namespace is
// ever changed.
class TemplateValue {
 public:
  struct Undefined {
    std::string name;  // For messages.
  };
  struct None {};
  struct Namespace {
    std::shared_ptr<TemplateDict> members;
  };
  using Text = std::shared_ptr<const std::string>;
  using List = std::shared_ptr<const TemplateList>;
  using Dict = std::shared_ptr<const TemplateDict>;
  using Callable = std::shared_ptr<const TemplateCallable>;

  TemplateValue() = default;
  TemplateValue(Undefined value) : value_(std::move(value)) {}
  TemplateValue(None value) : value_(value) {}
  explicit TemplateValue(bool value) : value_(value) {}
  explicit TemplateValue(std::int64_t value) : value_(value) {}
  explicit TemplateValue(double value) : value_(value) {}
  explicit TemplateValue(std::string value)
      : value_(std::make_shared<const std::string>(std::move(value))) {}
  explicit TemplateValue(TemplateList value);
  explicit TemplateValue(TemplateDict value)
      : value_(std::make_shared<const TemplateDict>(std::move(value))) {}
  explicit TemplateValue(TemplateCallable value)
      : value_(std::make_shared<const TemplateCallable>(std::move(value))) {}
  explicit TemplateValue(Namespace value) : value_(std::move(value)) {}

  const Undefined* undefined() const { return std::get_if<Undefined>(&value_); }
  bool is_none() const { return std::holds_alternative<None>(value_); }
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&value_); }
  const double* real() const { return std::get_if<double>(&value_); }
  const std::string* text() const { return Shared<Text>(); }
  const TemplateList* list() const { return Shared<List>(); }
  const TemplateDict* dict() const { return Shared<Dict>(); }
  const TemplateCallable* callable() const { return Shared<Callable>(); }
  const Namespace* name_space() const { return std::get_if<Namespace>(&value_); }

  // True counts as 1, as in Python.
  std::optional<std::int64_t> AsInteger() const;
  std::optional<double> AsNumber() const;
  bool IsTrue() const;
  std::size_t depth() const;  // How far values are nested in it; 0 for a plain one.

 private:
  template <typename Pointer>
  auto Shared() const -> decltype(std::declval<Pointer>().get()) {
    const auto* pointer = std::get_if<Pointer>(&value_);
    return pointer == nullptr ? nullptr : pointer->get();
  }

  std::variant<Undefined, None, bool, std::int64_t, double, Text, List, Dict, Callable, Namespace>
      value_;
};

// Null if it is nested too deep, or a number is too large.
std::optional<TemplateValue> TemplateValueOf(const Json& json, std::size_t depth);
std::optional<TemplateValue> TemplateValueOf(const OrderedJson& json, std::size_t depth);

bool AreEqual(const TemplateValue& a, const TemplateValue& b);

std::string StrOf(const TemplateValue& value);   // As Python's str().
std::string ReprOf(const TemplateValue& value);  // As Python's repr().
std::string_view TypeNameOf(const TemplateValue& value);

struct JsonStyle {
  std::optional<std::int64_t> indent;  // Spaces; one line if none is given.
  bool ascii = false;
  bool sorts = false;
  std::string between = ", ";
  std::string colon = ": ";
};

// As Python's json.dumps; null for what is no JSON.
std::optional<std::string> JsonTextOf(const TemplateValue& value, const JsonStyle& style);

}  // namespace hone::llm
