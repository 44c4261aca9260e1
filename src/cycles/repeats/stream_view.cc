#include "cycles/repeats/stream_view.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace tactus {
namespace {

constexpr std::size_t kNamesPerKernel = 16;

/// Sorting and top-k also choose the experts of a layer; these choose words only.
bool chooses_word(const KernelName& name) {
  return name.family == Family::kSampling &&
         (name.op == "argmax" || name.op == "multinomial" || name.op.ends_with("sample"));
}

/// Gives each kernel the symbol and family of its name; `symbol_of` is called once per name.
template <class F>
StreamView make_view(const KernelStream& stream, DecodedNames& names, F&& symbol_of) {
  StreamView view{.stream = stream, .symbols = {}, .families = {}, .chooses_word = {}};
  view.symbols.reserve(stream.size());
  view.families.reserve(stream.size());
  view.chooses_word.reserve(stream.size());
  struct Known {
    std::uint32_t symbol = 0;
    Family family = Family::kOther;
    bool chooses_word = false;
    bool is_known = false;
  };
  // A list of all names would be too long for a short stream: there may be very many of these.
  const std::uint32_t last_name =
      stream.names.empty() ? 0 : *std::max_element(stream.names.begin(), stream.names.end());
  const bool is_short = last_name / kNamesPerKernel > stream.size();
  std::vector<Known> known(is_short ? 0 : last_name + std::size_t{1});
  std::unordered_map<std::uint32_t, Known> known_of_few;
  for (const std::uint32_t name : stream.names) {
    Known& kernel = is_short ? known_of_few[name] : known[name];
    if (!kernel.is_known) {
      const KernelName& decoded = names.of(name);
      kernel = {symbol_of(name), decoded.family, chooses_word(decoded), true};
    }
    view.symbols.push_back(kernel.symbol);
    view.families.push_back(kernel.family);
    view.chooses_word.push_back(kernel.chooses_word);
  }
  return view;
}

std::string_view without_number(std::string_view name) {
  if (!name.starts_with("triton_")) return name;
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || name[last] != '_') return name;
  return name.substr(0, last);
}

}  // namespace

std::size_t StreamView::count(std::size_t first, std::size_t end, Family family) const {
  const auto begin = families.begin();
  return static_cast<std::size_t>(std::count(begin + static_cast<std::ptrdiff_t>(first),
                                             begin + static_cast<std::ptrdiff_t>(end), family));
}

bool StreamView::any_chooses_word(std::size_t first, std::size_t end) const {
  const auto begin = chooses_word.begin();
  return std::find(begin + static_cast<std::ptrdiff_t>(first),
                   begin + static_cast<std::ptrdiff_t>(end),
                   true) != begin + static_cast<std::ptrdiff_t>(end);
}

StreamView view_by_name(const KernelStream& stream, DecodedNames& names) {
  std::unordered_map<std::string_view, std::uint32_t> symbols;
  return make_view(stream, names, [&](std::uint32_t name) {
    return symbols.try_emplace(without_number(names.text(name)), name).first->second;
  });
}

StreamView view_by_operation(const KernelStream& stream, DecodedNames& names) {
  std::unordered_map<std::string, std::uint32_t> symbols;
  return make_view(stream, names, [&](std::uint32_t name) {
    const KernelName& decoded = names.of(name);
    std::string operation(family_name(decoded.family));
    if (decoded.family == Family::kOther) operation += without_number(names.text(name));
    return symbols.try_emplace(std::move(operation), name).first->second;
  });
}

}  // namespace tactus
