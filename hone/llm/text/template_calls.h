// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/llm/text/template_meter.h"
#include "hone/llm/text/template_value.h"

namespace hone::llm {

// What a filter, test, function or method is called with.
struct TemplateArguments {
  std::vector<TemplateValue> values;
  std::vector<std::pair<std::string, TemplateValue>> named;

  // By place or by name; null if it is not given.
  const TemplateValue* Find(std::size_t place, std::string_view name) const;
};

bool IsKnownFilter(std::string_view name);
bool IsKnownTest(std::string_view name);
bool IsKnownFunction(std::string_view name);
bool IsTextMethod(std::string_view name);

TemplateValue ApplyFilter(TemplateMeter& meter, std::string_view name, const TemplateValue& value,
                          const TemplateArguments& arguments);
bool ApplyTest(TemplateMeter& meter, std::string_view name, const TemplateValue& value,
               const TemplateArguments& arguments);
TemplateValue CallFunction(TemplateMeter& meter, std::string_view name,
                           const TemplateArguments& arguments);
TemplateValue CallMethod(TemplateMeter& meter, std::string_view name, const TemplateValue& self,
                         const TemplateArguments& arguments);

// value.name and value[key], as Jinja2 looks them up: undefined where there is nothing.
TemplateValue AttributeOf(TemplateMeter& meter, const TemplateValue& value,
                          const std::string& name);
TemplateValue SubscriptOf(TemplateMeter& meter, const TemplateValue& value,
                          const TemplateValue& key);
TemplateValue SliceOf(TemplateMeter& meter, const TemplateValue& value, const TemplateValue& begin,
                      const TemplateValue& end, const TemplateValue& step);

// What a loop over it sees: items, keys or characters.
std::vector<TemplateValue> ItemsOf(TemplateMeter& meter, const TemplateValue& value);

bool IsIn(TemplateMeter& meter, const TemplateValue& value, const TemplateValue& container);
bool Compare(TemplateMeter& meter, std::string_view sign, const TemplateValue& a,
             const TemplateValue& b);
TemplateValue Compute(TemplateMeter& meter, std::string_view sign, const TemplateValue& a,
                      const TemplateValue& b);

}  // namespace hone::llm
