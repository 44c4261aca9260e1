#include "sources/kineto/kineto.h"

#include "sources/kineto/assembler.h"

namespace tactus::kineto {

bool is_trace(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
}

Status import(InputBytes& bytes, const ReadOptions& options, RunBuilder& builder,
              Progress& progress) {
  Assembler assembler(builder, bytes.path());
  const Result<ReadOutcome> read = read_events(
      bytes, options, [&](EventBatch& batch) { assembler.take(batch); }, progress);
  if (!read) return read.error();
  if (!read->found_document) {
    return input_error(bytes.path() + ": " +
                       (read->stopped.empty() ? "holds no JSON document" : read->stopped));
  }
  if (!read->found_events) {
    return input_error(bytes.path() + ": has no events: " +
                       (read->stopped.empty()
                            ? "it is JSON, but not a trace (it has no traceEvents)"
                            : read->stopped + ", before any event"));
  }
  assembler.finish(bytes.disk_bytes());
  if (!bytes.problem().empty()) builder.warn(bytes.problem());
  if (read->document_closed) {
    builder.warn(bytes.path() + ": something else follows the document: " + read->stopped);
  } else if (!read->stopped.empty()) {
    builder.drop("truncated_input");
    builder.warn(bytes.path() + ": " + read->stopped +
                 (bytes.problem().empty() ? "" : " of the decompressed text") +
                 "; everything before it was kept");
  } else if (bytes.cut_short()) {
    builder.drop("truncated_input");
  }
  return {};
}

}  // namespace tactus::kineto
