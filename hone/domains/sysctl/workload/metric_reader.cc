// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/metric_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <sstream>
#include <utility>

#include "hone/base/json/json.h"
#include "hone/core/letter_case.h"
#include "hone/domains/sysctl/workload/pattern.h"
#include "hone/domains/sysctl/workload/spec_parts.h"

namespace hone::sysctl {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::size_t kMaxLinesShown = 3;

Error Refuse(std::string message) { return {Errc::kInvalidArgument, std::move(message)}; }

std::string_view Trimmed(std::string_view text, std::string_view blanks = kBlanks) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The next line of the text, which is taken away from it.
std::string_view TakeLine(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// What follows "name:" or "name =" on a line that begins with it.
std::optional<std::string_view> ValueOnLine(std::string_view line, std::string_view name) {
  line = Trimmed(line);
  if (!line.starts_with(name)) return std::nullopt;
  line = Trimmed(line.substr(name.size()));
  if (!line.starts_with(':') && !line.starts_with('=')) return std::nullopt;
  return Trimmed(line.substr(1));
}

// In lower case, with one blank for all blanks, underscores and hyphens between two words.
std::string WordsOf(std::string_view text) {
  std::string words;
  for (const char c : Trimmed(text, " \t\r_-")) {
    const bool is_between = c == '_' || c == '-' || kBlanks.find(c) != std::string_view::npos;
    if (is_between && words.ends_with(' ')) continue;
    words += is_between ? ' ' : LowerCase(c);
  }
  return words;
}

// What follows "label:" or "label =", whatever the label's case and what is between its words.
std::optional<std::string_view> ValueOfLabel(std::string_view line, std::string_view label) {
  const auto end = line.find_first_of(":=");
  if (end == std::string_view::npos || WordsOf(line.substr(0, end)) != WordsOf(label)) {
    return std::nullopt;
  }
  return Trimmed(line.substr(end + 1));
}

// "812.40 [#/sec] (mean)" without what stands in brackets.
std::string_view WithoutRemarks(std::string_view value) {
  const bool has_remarks = value.ends_with(']') || value.ends_with(')');
  return has_remarks ? Trimmed(value.substr(0, value.find_first_of("[("))) : value;
}

// How many of the words of `name` the line has.
std::ptrdiff_t WordsInCommon(std::string_view line, const std::string& name) {
  const std::string words = " " + WordsOf(line.substr(0, line.find_first_of(":="))) + " ";
  std::istringstream wanted(WordsOf(name));
  return std::count_if(
      std::istream_iterator<std::string>(wanted), {},
      [&](const std::string& word) { return words.find(" " + word + " ") != std::string::npos; });
}

// Lines with a number that might have been meant, the likeliest first; empty if there are none.
std::string MeantPerhaps(std::string_view output, const std::string& name) {
  std::vector<std::string_view> lines;
  while (!output.empty()) {
    const std::string_view line = Trimmed(TakeLine(output));
    const auto end = line.find_first_of(":=");
    const std::string_view value =
        end == std::string_view::npos ? line : Trimmed(line.substr(end + 1));
    if (!value.empty() && IsDigit(value[0])) lines.push_back(line);
  }
  if (lines.empty()) return "";
  std::stable_sort(lines.begin(), lines.end(), [&](std::string_view a, std::string_view b) {
    return WordsInCommon(a, name) > WordsInCommon(b, name);
  });
  std::string text = "; lines with a number: ";
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxLinesShown); ++i) {
    text += (i == 0 ? "" : ", ") + Quoted(lines[i]);
  }
  if (lines.size() > kMaxLinesShown) {
    text += fmt::format(" and {} more", lines.size() - kMaxLinesShown);
  }
  return text +
         ". Say which is meant: by the words before its colon as \"label\" (in an older file as "
         "\"reward_metric\"), or by a \"regex\"";
}

Error NoSuchLine(std::string_view output, const std::string& name) {
  return Refuse(fmt::format("the output has no line \"{}: value\" or \"{} = value\"{}", name, name,
                            MeantPerhaps(output, name)));
}

Result<double> NumberOnLine(const MetricSpec& metric, std::string_view value) {
  const auto number = ParseNumber(value, metric.facts.unit);
  if (number) return *number;
  return Refuse(
      fmt::format("on the line {}: {}", Quoted(metric.extractor.text), number.error().message));
}

// The value of the last line with the very name.
std::optional<std::string_view> LastNamed(std::string_view output, const std::string& name) {
  std::optional<std::string_view> last;
  while (!output.empty()) {
    if (const auto value = ValueOnLine(TakeLine(output), name)) last = value;
  }
  return last;
}

Result<double> FromLines(const MetricSpec& metric, std::string_view output) {
  const auto last = LastNamed(output, metric.extractor.text);
  return last ? NumberOnLine(metric, *last) : NoSuchLine(output, metric.extractor.text);
}

// Without brackets, or in the metric's unit: "[ms] (mean)".
bool HasRightUnit(std::string_view value, const std::string& unit) {
  const auto open = value.find('[');
  if (unit.empty() || open == std::string_view::npos) return true;
  return value.substr(open + 1, value.find(']', open) - open - 1) == unit;
}

Result<double> FromLabel(const MetricSpec& metric, std::string_view output) {
  const std::string& label = metric.extractor.text;
  if (const auto last = LastNamed(output, label)) {
    if (WithoutRemarks(*last) == *last) return NumberOnLine(metric, *last);
  }
  std::optional<std::string_view> last;
  for (std::string_view rest = output; !rest.empty();) {
    const auto value = ValueOfLabel(TakeLine(rest), label);
    if (!value) continue;
    const auto remarks = [](std::string_view text) {
      return text.substr(WithoutRemarks(text).size());
    };
    if (last && remarks(*last) != remarks(*value)) {
      return Refuse(
          fmt::format("two lines are called {}, with the values {} and {}: take the one that is "
                      "meant by a \"regex\"",
                      Quoted(label), Quoted(*last), Quoted(*value)));
    }
    last = value;
  }
  if (last && !HasRightUnit(*last, metric.facts.unit)) {
    return Refuse(fmt::format("on the line {}: {} is not in {}", Quoted(label), Quoted(*last),
                              Quoted(metric.facts.unit)));
  }
  if (last) return NumberOnLine(metric, WithoutRemarks(*last));
  const auto all = ParseNumber(Trimmed(output, " \t\r\n"), metric.facts.unit);
  return all ? all : NoSuchLine(output, label);
}

Result<double> FromPattern(const MetricSpec& metric, std::string_view output) {
  const auto pattern = Pattern::Make(metric.extractor.text, metric.facts.name);
  if (!pattern) return pattern.error();
  const std::vector<std::string> found = pattern->FindAll(output);
  const std::string shown = Quoted(metric.extractor.text);
  if (found.empty()) return Refuse(fmt::format("the expression {} matches nowhere", shown));
  if (found.size() > 1) {
    return Refuse(
        fmt::format("the expression {} matches {} times, first {} and {}: make it match "
                    "once",
                    shown, found.size(), Quoted(found[0]), Quoted(found[1])));
  }
  const auto number = ParseNumber(found[0], metric.facts.unit);
  if (!number) {
    return Refuse(fmt::format("in the group of {}: {}", shown, number.error().message));
  }
  return *number;
}

std::string Unescaped(std::string_view step) {
  std::string key;
  for (std::size_t i = 0; i < step.size(); ++i) {
    key += step[i] != '~' ? step[i] : step[++i] == '0' ? '~' : '/';
  }
  return key;
}

// The element that one step of a pointer leads to; null if there is none.
const Json* StepInto(const Json& json, const std::string& key) {
  if (json.is_object()) {
    const auto member = json.find(key);
    return member == json.end() ? nullptr : &*member;
  }
  std::size_t index = 0;
  const auto [end, problem] = std::from_chars(key.data(), key.data() + key.size(), index);
  const bool is_index = problem == std::errc() && end == key.data() + key.size() &&
                        (key.size() == 1 || key[0] != '0');
  return json.is_array() && is_index && index < json.size() ? &json[index] : nullptr;
}

// The output as JSON: all of it, or its last line that is not empty.
Result<Json> JsonOf(std::string_view output) {
  output = Trimmed(output, " \t\r\n");
  auto whole = ParseJson(output, "the output");
  if (whole) return whole;
  const auto line = output.rfind('\n');
  if (line == std::string_view::npos) return whole;
  auto last = ParseJson(output.substr(line + 1), "the last line of the output");
  if (last && last->is_structured()) return last;
  return Refuse(
      fmt::format("neither the output nor its last line is JSON ({})", whole.error().message));
}

Result<double> FromJson(const MetricSpec& metric, const Result<Json>& json) {
  if (!json) return json.error();
  const std::string& pointer = metric.extractor.text;
  const Json* at = &*json;
  for (std::size_t begin = 1; begin <= pointer.size();) {
    const auto end = std::min(pointer.find('/', begin), pointer.size());
    const std::string key = Unescaped(std::string_view(pointer).substr(begin, end - begin));
    at = StepInto(*at, key);
    if (at == nullptr) {
      return Refuse(
          fmt::format("the JSON output has nothing at {}", Quoted(pointer.substr(0, end))));
    }
    begin = end + 1;
  }
  if (!at->is_number()) {
    return Refuse(fmt::format("at {} of the JSON output: expected a number, found {}",
                              Quoted(pointer), at->is_structured() ? at->type_name() : Dump(*at)));
  }
  return at->get<double>();
}

Result<void> CheckPointer(const std::string& pointer) {
  if (!pointer.starts_with('/')) {
    return Refuse(fmt::format("expected a JSON pointer such as \"/jobs/0/read/iops\", found {}",
                              Quoted(pointer)));
  }
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] != '~') continue;
    if (i + 1 < pointer.size() && (pointer[i + 1] == '0' || pointer[i + 1] == '1')) continue;
    return Refuse(fmt::format("in a JSON pointer ~ is written ~0, and / in a name ~1, found {}",
                              Quoted(pointer)));
  }
  return {};
}

// By lines or an expression.
Result<double> FromText(const MetricSpec& metric, std::string_view output) {
  switch (metric.extractor.form) {
    case Extractor::Form::kLine:
      return FromLines(metric, output);
    case Extractor::Form::kLabel:
      return FromLabel(metric, output);
    default:
      return FromPattern(metric, output);
  }
}

Result<double> Scaled(const MetricSpec& metric, const Result<double>& value) {
  const std::string& name = metric.facts.name;
  if (!value) return Refuse(fmt::format("metric {}: {}", name, value.error().message));
  const double scaled = *value * metric.extractor.factor;
  if (!std::isfinite(scaled)) return Refuse(fmt::format("metric {}: is not finite", name));
  return scaled;
}

}  // namespace

Result<void> CheckExtractor(const Extractor& extractor, const std::string& metric) {
  switch (extractor.form) {
    case Extractor::Form::kLine:
      if (Trimmed(extractor.text) != extractor.text || extractor.text.empty() ||
          extractor.text.find('\n') != std::string::npos) {
        return Refuse(
            fmt::format("expected what stands before the \":\" or \"=\" on the line, without "
                        "blanks at its ends, found {}",
                        Quoted(extractor.text)));
      }
      return {};
    case Extractor::Form::kLabel:
      if (WordsOf(extractor.text).empty() ||
          extractor.text.find_first_of(":=\n") != std::string::npos) {
        return Refuse(
            fmt::format("expected the words before the \":\" or \"=\" on the line, found {}",
                        Quoted(extractor.text)));
      }
      return {};
    case Extractor::Form::kJsonPath:
      return CheckPointer(extractor.text);
    case Extractor::Form::kRegex:
      break;
  }
  const auto pattern = Pattern::Make(extractor.text, metric);
  if (!pattern) return pattern.error();
  return {};
}

Result<double> ParseNumber(std::string_view text, const std::string& unit) {
  text = Trimmed(text);
  const auto refuse = [&](std::string_view why) {
    return Refuse(fmt::format("{} is not a number{}", Quoted(text), why));
  };
  const std::size_t digit = text.starts_with('-') ? 1 : 0;
  if (text.empty()) return Refuse("there is nothing where a number should be");
  if (digit >= text.size() || !IsDigit(text[digit])) return refuse("");
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || !std::isfinite(number)) return refuse(" that can be represented");
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (rest.empty() || (!unit.empty() && Trimmed(rest) == unit)) return number;
  if (rest.starts_with(',')) return refuse(": commas in numbers are not understood");
  return refuse(unit.empty()
                    ? ": the metric has no unit, so nothing may follow the number"
                    : fmt::format(": only the metric's unit {} may follow it", Quoted(unit)));
}

Result<std::map<std::string, double>> ReadMetricValues(const std::vector<MetricSpec>& metrics,
                                                       std::string_view output) {
  std::map<std::string, double> values;
  std::optional<Result<Json>> json;
  for (const MetricSpec& metric : metrics) {
    const Extractor::Form form = metric.extractor.form;
    if (form == Extractor::Form::kJsonPath && !json) json = JsonOf(output);
    const auto value =
        Scaled(metric, form == Extractor::Form::kJsonPath ? FromJson(metric, *json)
                                                          : FromText(metric, output));
    if (!value) return value.error();
    values[metric.facts.name] = *value;
  }
  return values;
}

Result<std::optional<double>> ReadLiveValue(const MetricSpec& metric, std::string_view line) {
  const std::string& text = metric.extractor.text;
  if (metric.extractor.form == Extractor::Form::kLine) {
    if (!ValueOnLine(line, text)) return std::optional<double>();
  } else if (metric.extractor.form == Extractor::Form::kLabel) {
    if (!ValueOfLabel(line, text)) return std::optional<double>();
  } else {
    const auto pattern = Pattern::Make(text, metric.facts.name);
    if (!pattern) return pattern.error();
    if (pattern->FindAll(line).empty()) return std::optional<double>();
  }
  const auto value = Scaled(metric, FromText(metric, line));
  if (!value) return value.error();
  return std::optional(*value);
}

}  // namespace hone::sysctl
