// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/tree_image.h"

#include <algorithm>

#include "hone/kconfig/files/byte_image.h"

namespace hone::kconfig {
namespace {

// Where a text of an item lies among all texts.
struct TextPlace {
  std::uint32_t item = 0;
  std::uint32_t size = 0;
  std::uint64_t offset = 0;
};

// Items without their texts, which follow as one block with the place of each.
template <typename Item>
void WriteItems(ImageWriter& out, std::span<const Item> items, std::string_view Item::*text) {
  std::vector<Item> plain(items.begin(), items.end());
  std::vector<TextPlace> places;
  places.reserve(items.size());
  std::string texts;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::string_view its = std::exchange(plain[i].*text, std::string_view());
    if (its.data() == nullptr) continue;  // A help text may be there and blank.
    places.push_back(
        {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(its.size()), texts.size()});
    texts += its;
  }
  out.Array(std::span<const Item>(plain));
  out.Array(std::span<const TextPlace>(places));
  out.Text(texts);
}

template <typename Item>
LargeList<Item> ReadItems(ImageReader& in, std::string_view Item::*text) {
  const auto plain = in.Array<Item>();
  const auto places = in.Array<TextPlace>();
  const std::string_view texts = in.Text();
  LargeList<Item> items(plain.begin(), plain.end());
  for (const TextPlace& place : places) {
    if (place.item >= items.size() || place.offset > texts.size()) continue;
    items[place.item].*text = texts.substr(place.offset, place.size);
  }
  return items;
}

void WriteLocation(ImageWriter& out, Location where) {
  out.Number(where.file);
  out.Number(where.line);
}

Location ReadLocation(ImageReader& in) {
  const auto file = static_cast<FileId>(in.Number());
  return {file, static_cast<std::uint32_t>(in.Number())};
}

void WritePairs(ImageWriter& out, std::span<const NamedText> pairs) {
  out.Number(pairs.size());
  for (const auto& [name, text] : pairs) {
    out.Text(name);
    out.Text(text);
  }
}

std::vector<NamedText> ReadPairs(ImageReader& in) {
  std::vector<NamedText> pairs;
  for (std::uint64_t left = in.Number(); left > 0 && !in.is_damaged(); --left) {
    const std::string_view name = in.Text();
    pairs.emplace_back(name, in.Text());
  }
  return pairs;
}

void WriteMessages(ImageWriter& out, const TreeParts& parts) {
  out.Number(parts.diagnostics.size());
  for (const Diagnostic& diagnostic : parts.diagnostics) {
    out.Number(static_cast<std::uint64_t>(diagnostic.severity));
    WriteLocation(out, diagnostic.where);
    out.Text(diagnostic.message);
    out.Number(diagnostic.is_rule ? 1 : 0);
  }
  out.Number(parts.cycles.size());
  for (const auto& cycle : parts.cycles) {
    out.Number(cycle.size());
    for (const CycleStep& step : cycle) {
      WriteLocation(out, step.where);
      out.Text(step.text);
    }
  }
}

void ReadMessages(ImageReader& in, TreeParts& parts) {
  for (std::uint64_t left = in.Number(); left > 0 && !in.is_damaged(); --left) {
    Diagnostic& diagnostic = parts.diagnostics.emplace_back();
    diagnostic.severity = static_cast<Severity>(in.Number());
    diagnostic.where = ReadLocation(in);
    diagnostic.message = in.Text();
    diagnostic.is_rule = in.Number() != 0;
  }
  for (std::uint64_t left = in.Number(); left > 0 && !in.is_damaged(); --left) {
    auto& cycle = parts.cycles.emplace_back();
    for (std::uint64_t steps = in.Number(); steps > 0 && !in.is_damaged(); --steps) {
      const Location where = ReadLocation(in);
      cycle.push_back({where, std::string(in.Text())});
    }
  }
}

void WriteFiles(ImageWriter& out, const TreeParts& parts) {
  out.Number(parts.files.size());
  for (const SourceFile& file : parts.files) {
    out.Text(file.name);
    WriteLocation(out, file.included_at);
  }
}

void ReadFiles(ImageReader& in, TreeParts& parts) {
  for (std::uint64_t left = in.Number(); left > 0 && !in.is_damaged(); --left) {
    SourceFile& file = parts.files.emplace_back();
    file.name = in.Text();
    file.included_at = ReadLocation(in);
  }
}

}  // namespace

std::string ImageOf(const Tree& tree) {
  const TreeParts& parts = tree.parts();
  ImageWriter out;
  out.Array(parts.names.parts().slots);
  out.Array(parts.names.parts().texts);
  out.Array(parts.expressions.parts().nodes);
  out.Array(parts.expressions.parts().symbols);
  WriteItems<Symbol>(out, parts.symbols, &Symbol::name);
  WriteItems<Property>(out, parts.properties, &Property::text);
  WriteItems<MenuNode>(out, parts.menus, &MenuNode::raw_help);
  WriteFiles(out, parts);
  WriteMessages(out, parts);
  WritePairs(out, parts.environment);
  out.Number(parts.unset_variables.size());
  for (const std::string& name : parts.unset_variables) out.Text(name);
  WritePairs(out, parts.shell_results);
  out.Array(std::span<const Location>(parts.shell_places));
  out.Number(parts.choices.size());
  for (const Choice& choice : parts.choices) {
    out.Number(choice.symbol);
    out.Array(std::span<const SymbolId>(choice.members));
  }
  out.Array(std::span<const SymbolId>(parts.order));
  for (const std::uint32_t id :
       {parts.modules, parts.defconfig_list, parts.recursive_inclusion, parts.repeated_inclusion}) {
    out.Number(id);
  }
  return out.Take();
}

std::shared_ptr<const Tree> TreeFromImage(std::string_view image, const Dialect& dialect,
                                          std::shared_ptr<const void> storage) {
  ImageReader in(image);
  const auto slots = in.Array<NameTable::Slot>();
  const auto name_texts = in.Array<char>();
  const auto nodes = in.Array<Expression>();
  const auto node_symbols = in.Array<ExpressionId>();
  TreeParts parts{.dialect = dialect,
                  .symbols = ReadItems<Symbol>(in, &Symbol::name),
                  .names = NameTable({slots, name_texts}),
                  .expressions = ExpressionPool({nodes, node_symbols}),
                  .properties = ReadItems<Property>(in, &Property::text),
                  .menus = ReadItems<MenuNode>(in, &MenuNode::raw_help)};
  ReadFiles(in, parts);
  ReadMessages(in, parts);
  parts.environment = ReadPairs(in);
  for (std::uint64_t left = in.Number(); left > 0 && !in.is_damaged(); --left) {
    parts.unset_variables.emplace_back(in.Text());
  }
  parts.shell_results = ReadPairs(in);
  const auto places = in.Array<Location>();
  parts.shell_places.assign(places.begin(), places.end());
  for (std::uint64_t left = in.Number(); left > 0 && !in.is_damaged(); --left) {
    Choice& choice = parts.choices.emplace_back();
    choice.symbol = static_cast<SymbolId>(in.Number());
    const auto members = in.Array<SymbolId>();
    choice.members.assign(members.begin(), members.end());
  }
  const auto order = in.Array<SymbolId>();
  parts.order.assign(order.begin(), order.end());
  for (std::uint32_t* id : {&parts.modules, &parts.defconfig_list, &parts.recursive_inclusion,
                            &parts.repeated_inclusion}) {
    *id = static_cast<std::uint32_t>(in.Number());
  }
  if (in.is_damaged() || !in.is_at_end()) return nullptr;
  parts.storage.push_back(std::move(storage));
  return std::make_shared<const Tree>(std::move(parts));
}

}  // namespace hone::kconfig
