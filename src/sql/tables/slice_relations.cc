#include "base/arithmetic.h"
#include "sql/tables/column_makers.h"
#include "sql/tables/tables.h"

namespace tactus::sql {
namespace {

/// The conditions of a table of slices: which slices are wanted, and only some kinds. Slices of
/// captures are in no table: no count includes them.
std::vector<Condition> slice_conditions(Derived& derived, bool (*takes)(SliceKind)) {
  const Run& run = derived.run();
  const SliceFilter& filter = derived.filter();
  std::vector<Condition> conditions;
  auto kinds = std::make_shared<std::vector<std::uint8_t>>();
  bool are_all = true;
  for (const Category& category : run.categories) {
    const bool is_taken = !category.is_captured && takes(category.kind);
    kinds->push_back(is_taken);
    are_all &= is_taken;
  }
  if (!are_all) conditions.push_back({.column = &run.slices.category(), .wanted = kinds});
  if (filter.limits_tracks()) {
    auto tracks = std::make_shared<std::vector<std::uint8_t>>();
    for (const bool is_wanted : wanted_tracks(run, filter)) tracks->push_back(is_wanted);
    conditions.push_back({.column = &run.slices.track(), .wanted = tracks});
  }
  if (filter.limits_time()) {
    const std::int64_t to = filter.to_ns.value_or(INT64_MAX);
    conditions.push_back({.column = &run.slices.start(),
                          .low = filter.from_ns.value_or(INT64_MIN),
                          .high = filter.to_ns && to != INT64_MIN ? to - 1 : to});
  }
  if (derived.wanted().steps != nullptr) {
    conditions.push_back({.column = &derived.step(), .low = 0});
  }
  return conditions;
}

Relation slice_relation(Derived& derived, std::string name, std::string_view about,
                        bool (*takes)(SliceKind)) {
  const Run& run = derived.run();
  Relation relation;
  relation.name = std::move(name);
  relation.about = about;
  relation.rows = [&run] { return run.slices.size(); };
  relation.conditions = [&derived, takes] { return slice_conditions(derived, takes); };
  const EventTable& slices = run.slices;
  relation.columns = {
      row_number("id", "the number of the slice; the same in every table"),
      number(
          "ts_ns", [&slices]() -> const Column& { return slices.start(); },
          "start, in ns since the start of the run"),
      number(
          "dur_ns", [&slices]() -> const Column& { return slices.dur(); }, "duration"),
      computed(
          "end_ns", "INTEGER",
          [&slices](std::size_t row, std::string&) {
            return Cell::number(wrapping_add(slices.start()[row], slices.dur()[row]));
          },
          "end: ts_ns + dur_ns"),
      text_of_run(
          "name", run, [&slices]() -> const Column& { return slices.name(); },
          "as the source wrote it"),
  };
  return relation;
}

Codes tracks_of(Derived& derived) {
  return [&derived]() -> const Column& { return derived.run().slices.track(); };
}

void add_device_place(Derived& derived, Relation& relation) {
  const Codes tracks = tracks_of(derived);
  relation.columns.push_back(
      place_column("device", "INTEGER", derived, tracks, device_of, "number of the GPU"));
  relation.columns.push_back(
      place_column("stream", "INTEGER", derived, tracks, stream_of, "stream of the GPU"));
}

void add_process_place(Derived& derived, Relation& relation) {
  const Codes tracks = tracks_of(derived);
  relation.columns.push_back(place_column("pid", "", derived, tracks, pid_of,
                                          "process; of device work, the one that launched it"));
  relation.columns.push_back(
      place_column("rank", "INTEGER", derived, tracks, rank_of, "rank of the job"));
  relation.columns.push_back(place_column("host", "TEXT", derived, tracks, host_of, "machine"));
}

void add_thread_place(Derived& derived, Relation& relation) {
  const Codes tracks = tracks_of(derived);
  relation.columns.push_back(place_column("tid", "", derived, tracks, tid_of, "host thread"));
  relation.columns.push_back(
      place_column("thread", "TEXT", derived, tracks, thread_of, "name of the host thread"));
}

void add_step(Derived& derived, Relation& relation) {
  const Codes steps = [&derived]() -> const Column& { return derived.step(); };
  relation.columns.push_back(
      number_or_null("step", steps, "the step that it belongs to: steps.id"));
  relation.columns.push_back(looked_up(
      "phase", "TEXT", steps,
      [&derived](std::int64_t step) {
        const auto at = static_cast<std::uint64_t>(step);
        if (at >= derived.steps().size()) return Cell::null();
        return Cell::words(phase_name(derived.steps()[at].phase));
      },
      "prefill, decode, mixed or unknown"));
}

void add_args(Derived& derived, Relation& relation) {
  relation.columns.push_back(computed(
      "args", "TEXT",
      [&derived](std::size_t row, std::string& buffer) {
        return args_json(derived.run(), row, buffer);
      },
      "all arguments as JSON"));
}

void add_arg(Derived& derived, Relation& relation, std::string name, std::string key,
             std::string_view about) {
  relation.columns.push_back(computed(
      std::move(name), "TEXT",
      [&derived, key = std::move(key)](std::size_t row, std::string& buffer) {
        return arg_of(derived.run(), row, key, buffer);
      },
      about));
}

/// Who launched a piece of device work.
void add_site(Derived& derived, Relation& relation) {
  const Run& run = derived.run();
  const auto reference = [&](std::string name, const Column& (Derived::*rows)(),
                             std::string_view about) {
    relation.columns.push_back(number_or_null(
        std::move(name), [&derived, rows]() -> const Column& { return (derived.*rows)(); }, about));
  };
  const auto name_of = [&](std::string name, const Column& (Derived::*rows)(),
                           std::string_view about) {
    relation.columns.push_back(text_of_run(
        std::move(name), run,
        [&derived, rows]() -> const Column& { return derived.name_of((derived.*rows)()); }, about));
  };
  reference("launch_id", &Derived::launching_call, "the call that launched it: slices.id");
  reference("op_id", &Derived::op, "the innermost op around the call: ops.id");
  name_of("op", &Derived::op, "the name of that op");
  name_of("python", &Derived::python_frame, "the innermost Python function around the call");
  name_of("module", &Derived::module, "the innermost nn.Module around the call");
}

Relation slices_table(Derived& derived) {
  const Run& run = derived.run();
  Relation relation = slice_relation(derived, "slices", "everything that has a start and an end",
                                     [](SliceKind) { return true; });
  const Codes categories = [&run]() -> const Column& { return run.slices.category(); };
  relation.columns.push_back(looked_up(
      "category", "TEXT", categories,
      [&run](std::int64_t code) {
        const auto at = static_cast<std::uint64_t>(code);
        return at < run.categories.size() ? Cell::words(run.strings[run.categories[at].name])
                                          : Cell::null();
      },
      "as the source wrote it"));
  relation.columns.push_back(looked_up(
      "kind", "TEXT", categories,
      [&run](std::int64_t code) { return Cell::words(kind_name(run.kind_of(code))); },
      "kernel, gpu_memcpy, cuda_runtime, cpu_op, python_function, ..., whatever the source"));
  relation.columns.push_back(
      number("track", tracks_of(derived), "a host thread or a stream of a device"));
  add_device_place(derived, relation);
  add_process_place(derived, relation);
  relation.columns.push_back(place_column("process", "TEXT", derived, tracks_of(derived),
                                          process_of, "name of the process"));
  add_thread_place(derived, relation);
  relation.columns.push_back(number_or_null(
      "parent_id", [&derived]() -> const Column& { return derived.parent(); },
      "the next slice around it on its host thread"));
  add_step(derived, relation);
  add_args(derived, relation);
  return relation;
}

Relation kernels_table(Derived& derived) {
  const Run& run = derived.run();
  Relation relation = slice_relation(derived, "kernels", "kernels on the GPU",
                                     [](SliceKind kind) { return kind == SliceKind::kKernel; });
  const auto decoded = [&](std::string name, std::function<Cell(std::int64_t)> cell,
                           std::string_view about) {
    relation.columns.push_back(looked_up(
        std::move(name), "TEXT", [&run]() -> const Column& { return run.slices.name(); },
        std::move(cell), about));
  };
  decoded(
      "short_name", [&derived](std::int64_t name) { return Cell::words(derived.short_name(name)); },
      "without namespaces, template arguments and parameters");
  decoded(
      "family",
      [&derived](std::int64_t name) {
        return Cell::words(family_name(derived.decoded(name).family));
      },
      "gemm, attention, norm, collective, ..., by the name");
  decoded(
      "operator",
      [&derived](std::int64_t name) { return Cell::words_or_null(derived.decoded(name).op); },
      "what it computes, by the name");
  decoded(
      "library",
      [&derived](std::int64_t name) { return Cell::words_or_null(derived.decoded(name).library); },
      "cublas, pytorch, flashinfer, ..., by the name");
  add_device_place(derived, relation);
  add_process_place(derived, relation);
  add_site(derived, relation);
  add_step(derived, relation);
  add_arg(derived, relation, "grid", "grid", "blocks, as in the trace: [x,y,z]");
  add_arg(derived, relation, "block", "block", "threads per block: [x,y,z]");
  add_args(derived, relation);
  return relation;
}

Relation ops_table(Derived& derived) {
  const Run& run = derived.run();
  Relation relation = slice_relation(derived, "ops", "operators of the framework, on the host",
                                     [](SliceKind kind) { return kind == SliceKind::kCpuOp; });
  add_process_place(derived, relation);
  add_thread_place(derived, relation);
  relation.columns.push_back(number_or_null(
      "parent_id", [&derived]() -> const Column& { return derived.parent_op(); },
      "the next op around it"));
  relation.columns.push_back(text_of_run(
      "parent", run, [&derived]() -> const Column& { return derived.name_of(derived.parent_op()); },
      "the name of that op"));
  add_step(derived, relation);
  add_arg(derived, relation, "shapes", "Input Dims", "shapes of the inputs");
  add_arg(derived, relation, "types", "Input type", "types of the inputs");
  add_args(derived, relation);
  return relation;
}

/// "Memcpy HtoD (Pinned -> Device)" is HtoD.
std::string_view copy_kind(std::string_view name) {
  if (name.starts_with("Memset")) return "memset";
  constexpr std::string_view kBefore = "Memcpy ";
  if (!name.starts_with(kBefore)) return name;
  name.remove_prefix(kBefore.size());
  return name.substr(0, name.find(" ("));
}

Relation copies_table(Derived& derived) {
  const Run& run = derived.run();
  Relation relation = slice_relation(
      derived, "copies", "copies and fills of GPU memory",
      [](SliceKind kind) { return kind == SliceKind::kMemcpy || kind == SliceKind::kMemset; });
  relation.columns.push_back(looked_up(
      "kind", "TEXT", [&run]() -> const Column& { return run.slices.name(); },
      [&run](std::int64_t name) {
        return Cell::words(copy_kind(run.strings[StringId(static_cast<std::uint64_t>(name))]));
      },
      "HtoD, DtoH, DtoD, PtoP, memset, ..."));
  relation.columns.push_back(number_or_null(
      "bytes", [&derived]() -> const Column& { return derived.int_arg("bytes"); },
      "bytes that were copied or set"));
  relation.columns.push_back(computed(
      "bytes_per_s", "REAL",
      [&derived](std::size_t row, std::string&) {
        const std::int64_t bytes = derived.int_arg("bytes")[row];
        const std::int64_t dur = derived.run().slices.dur()[row];
        if (bytes < 0 || dur <= 0) return Cell::null();
        return Cell::real_number(static_cast<double>(bytes) * 1e9 / static_cast<double>(dur));
      },
      "bytes over duration"));
  add_device_place(derived, relation);
  add_process_place(derived, relation);
  add_site(derived, relation);
  add_step(derived, relation);
  add_args(derived, relation);
  return relation;
}

}  // namespace

void add_slice_relations(Derived& derived, std::vector<Relation>& into) {
  into.push_back(slices_table(derived));
  into.push_back(kernels_table(derived));
  into.push_back(ops_table(derived));
  into.push_back(copies_table(derived));
}

}  // namespace tactus::sql
