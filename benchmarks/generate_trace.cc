// Makes a large trace out of a recorded one: the same events again and again, each time later and
// with new ids, as a longer recording would have them. usage: generate_trace TRACE.json[.gz] TIMES
// Writes to standard output.
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "sources/bytes/input_bytes.h"

namespace {

using tactus::InputBytes;

/// Text, and behind it a number that grows from copy to copy.
struct Piece {
  std::string_view text;
  long long number = 0;  ///< in thousandths where it has decimals
  long long step = 0;    ///< 0: there is no number
  bool decimals = false;
};

struct GrowingKey {
  std::string_view key;
  bool is_time;
};
constexpr GrowingKey kGrowing[] = {{"\"ts\": ", true},
                                   {"\"External id\": ", false},
                                   {"\"correlation\": ", false},
                                   {"\"Ev Idx\": ", false},
                                   {"\"id\": ", false},
                                   {"\"Python id\": ", false},
                                   {"\"Python parent id\": ", false}};
constexpr long long kIdStep = 250'000;  // more than the recordings have

/// Cuts the events into pieces at the numbers that grow.
std::vector<Piece> cut(std::string_view text, long long time_step) {
  std::vector<Piece> pieces;
  std::size_t begin = 0;
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at + 1)) {
    for (const GrowingKey& growing : kGrowing) {
      if (text.substr(at, growing.key.size()) != growing.key) continue;
      const std::size_t digits = at + growing.key.size();
      Piece piece{.text = text.substr(begin, digits - begin)};
      const char* end = text.data() + text.size();
      const auto whole = std::from_chars(text.data() + digits, end, piece.number);
      if (whole.ec != std::errc()) continue;  // null
      const char* after = whole.ptr;
      piece.step = kIdStep;
      if (growing.is_time) {
        piece.step = time_step;
        piece.decimals = true;
        long long fraction = 0;
        if (*after == '.') after = std::from_chars(after + 1, end, fraction).ptr;
        piece.number = piece.number * 1000 + fraction;
      }
      pieces.push_back(piece);
      begin = static_cast<std::size_t>(after - text.data());
      break;
    }
  }
  pieces.push_back({.text = text.substr(begin)});
  return pieces;
}

void write_copy(const std::vector<Piece>& pieces, long long copy, std::string& out) {
  char digits[24];
  for (const Piece& piece : pieces) {
    out.append(piece.text);
    if (piece.step == 0) continue;
    const long long value = piece.number + piece.step * copy;
    out.append(digits,
               std::to_chars(digits, digits + 24, piece.decimals ? value / 1000 : value).ptr);
    if (!piece.decimals) continue;
    const long long rest = value % 1000;
    out += {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
            static_cast<char>('0' + rest % 10)};
  }
}

}  // namespace

int main(int, char** argv) {
  tactus::Result<std::unique_ptr<InputBytes>> bytes = InputBytes::open(argv[1]);
  CHECK(bytes);
  tactus::Result<std::string> read = tactus::read_all(**bytes, std::size_t{4} << 30);
  CHECK(read);
  const std::string_view text = *read;
  const std::size_t open = text.find('[', text.find("\"traceEvents\"")) + 1;
  const std::size_t close = text.rfind("\n  ]");
  const std::vector<Piece> pieces =
      cut(text.substr(open, close - open), 2'000'000'000);  // 2 s apart
  std::string out(text.substr(0, open));
  const long long copies = std::atoll(argv[2]);
  for (long long copy = 0; copy < copies; ++copy) {
    if (copy != 0) out += ',';
    write_copy(pieces, copy, out);
    std::fwrite(out.data(), 1, out.size(), stdout);
    out.clear();
  }
  std::fwrite(text.data() + close, 1, text.size() - close, stdout);
}
