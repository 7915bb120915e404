# SPDX-License-Identifier: Apache-2.0
# cmake -DOUTPUT=presets_data.cc -DFILES="a.json;b.json" -P embed_presets.cmake: the presets as C++.
set(text "// SPDX-License-Identifier: Apache-2.0\n// Made from data/presets/ by embed_presets.cmake.\n")
string(APPEND text "#include \"hone/domains/sysctl/workload/preset_texts.h\"\n\n")
string(APPEND text "namespace hone::sysctl {\n\nstd::vector<PresetText> PresetTexts() {\n  return {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  string(APPEND text "{\"${name}\", R\"hone(${content})hone\"},\n")
endforeach()
string(APPEND text "  };\n}\n\n}  // namespace hone::sysctl\n")
file(WRITE ${OUTPUT} "${text}")
