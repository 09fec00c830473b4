// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/codegen/code_text.h"

#include <algorithm>
#include <set>

#include "kernels/stage_file/parse/names.h"

namespace tandem {

std::string user_text(const StageFile& file, const StageCode& code, const std::string& end) {
  std::string path;
  for (const char c : file.path) {
    if (c == '"' || c == '\\') path += '\\';
    if (c != '\n') path += c;
  }
  const auto line = [&path](std::ptrdiff_t number) {
    return "\n#line " + std::to_string(number) + " \"" + path + "\"\n";
  };
  const std::ptrdiff_t first = std::max(code.line, 1);
  const auto words = words_of(code.text);
  const std::ptrdiff_t lines =
      words.empty()
          ? 0
          : std::count(code.text.begin(),
                       code.text.begin() + static_cast<std::ptrdiff_t>(words.back().at), '\n');
  return line(first) + code.text + line(first + lines) + end + "\n#line 1 \"tandem\"\n";
}

Filled& Filled::put(const std::string& key, const std::string& value) {
  const std::string wanted = "$" + key;
  for (std::size_t at = 0; (at = text_.find(wanted, at)) != text_.npos; at += value.size())
    text_.replace(at, wanted.size(), value);
  return *this;
}

std::map<std::string, StageAccess> planes_of(const StageStep& step) {
  std::map<std::string, StageAccess> planes;
  for (const StagePlanPart& part : step.parts) {
    for (const StageAccess& read : part.reads) {
      if (read.kind != StageAccess::Kind::kPlane) continue;
      StageAccess& plane = planes.try_emplace(read.name, read).first->second;
      plane.halo = std::max(plane.halo, read.halo);
    }
  }
  return planes;
}

std::map<std::string, int> arrays_of(const StageStep& step) {
  std::map<std::string, int> arrays;
  for (const StagePlanPart& part : step.parts)
    for (const StageAccess& read : part.reads)
      if (read.kind == StageAccess::Kind::kArray) arrays.emplace(read.name, read.tensor);
  return arrays;
}

Filled plane_text(const StagePlan& plan, const StageAccess& plane, const char* text) {
  const StageTensor& tensor = plan.tensors[static_cast<std::size_t>(plane.tensor)];
  return Filled(text)
      .put("name", plane.name)
      .put("type", c_name_of(tensor.type))
      .put("times", plane.times)
      .put("over", plane.over)
      .put("halo", plane.halo)
      .put("missing", tensor.role == StageTensor::Role::kBefore ? "frame == 0 ? 0 : " : "")
      .put("i", plane.tensor);
}

std::string planes_text(const StagePlan& plan, const StageStep& step, const char* text) {
  std::string all;
  for (const auto& [name, plane] : planes_of(step)) all += plane_text(plan, plane, text);
  return all;
}

std::string stores_text(const StageStep& step, const char* text) {
  std::string all;
  for (const StagePlanPart& part : step.parts)
    for (const StageStore& write : part.writes)
      if (write.tensor >= 0)
        all += Filled(text)
                   .put("name", write.name)
                   .put("type", c_name_of(write.type))
                   .put("i", write.tensor);
  return all;
}

std::string element_text(const StageFile& file, const StageStep& step, StageSide side, bool wide) {
  const bool loops = step.skeleton == StagePart::Skeleton::kLoop;
  std::string text = loops ? "int again = 0;\n" : "";
  std::string stores;
  for (const StagePlanPart& part : step.parts) {
    for (const StageStore& write : part.writes) {
      const bool is_wide = wide && write.type == ElementType::kUint8;
      text += Filled("$variable $name = 0;\n")
                  .put("variable", is_wide ? "int" : c_name_of(write.type))
                  .put("name", write.name);
      if (write.tensor < 0) continue;
      stores += Filled(is_wide ? "t$i_wide_[x - chunk_] = $name;\n" : "t$i_row_[x] = $name;\n")
                    .put("i", write.tensor)
                    .put("name", write.name);
    }
    text += "{" + user_text(file, file.parts[part.part].body_on(side), "}");
  }
  return text + stores + (loops ? "again_ |= again;\n" : "");
}

std::string unrolled_element_text(const StageFile& file, const StageStep& step, StageSide side,
                                  bool wide) {
  const std::string element = element_text(file, step, side, wide);
  for (const StagePlanPart& part : step.parts)
    if (!has_short_loops(file.parts[part.part].body_on(side).text)) return element;
  return "#define for tandem_for\n" + element + "#undef for\n";
}

std::string reduced_text(const StagePlan& plan, const StageStep& step, const std::string& text) {
  std::string all;
  for (const StageStore& write : step.parts[0].writes) {
    const StageTensor& tensor = plan.tensors[static_cast<std::size_t>(write.tensor)];
    all += std::string(Filled(text)
                           .put("type", c_name_of(write.type))
                           .put("name", write.name)
                           .put("count", static_cast<long>(elements_of(tensor.shape)))
                           .put("padded", static_cast<long>(padded_elements(tensor.shape)))
                           .put("partials", write.partials)
                           .put("tensor", write.tensor));
  }
  return all;
}

std::string combine_text(const StageFile& file, const StagePlan& plan, const StageStep& step) {
  const StagePart& part = file.parts[step.parts[0].part];
  if (!part.combine.text.empty()) return "{" + user_text(file, part.combine, "}");
  return reduced_text(plan, step,
                      "for (int i_ = 0; i_ < $count; ++i_) $name[i_] += $name_other[i_];\n");
}

std::string undefine_reads(const StageStep& step) {
  std::string text;
  for (const auto& [name, plane] : planes_of(step)) text += "#undef " + name + "\n";
  return text;
}

std::string local_reads(const StageStep& step, bool define) {
  std::set<std::string> names;
  for (const StagePlanPart& part : step.parts)
    for (const StageAccess& read : part.reads)
      if (read.kind == StageAccess::Kind::kLocal) names.insert(read.name);
  std::string text;
  for (const std::string& name : names)
    text += define ? "#define " + name + "(dx, dy) (" + name + ")\n" : "#undef " + name + "\n";
  return text;
}

}  // namespace tandem
