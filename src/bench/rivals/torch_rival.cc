#include "bench/rivals/torch_rival.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>

#include "base/json.h"
#include "bench/rivals/embedded_rival.h"
#include "bench/rivals/rival_json.h"
#include "bench/candidate/subprocess.h"

namespace tactus {
namespace {

constexpr int kNoTorch = 3;  // exit code of the script
/// Largest difference from the first rival, in units of its root mean square. One flipped fp8 code
/// gives 0.3, another computation gives several.
constexpr double kComputesSomethingElse = 1;

std::string question_text(const TorchQuestion& question) {
  Json rows = Json::array();
  for (const BenchTask& task : question.tasks) {
    const ShapeParameters& parameters = task.shape->parameters;
    Json values = Json::object();
    for (const auto& [name, value] : parameters.values) values[name] = value;
    Json sequences = nullptr;
    for (const SequenceRun& run : parameters.sequences) {
      sequences.push_back(Json::array({run.length, run.count}));
    }
    rows.push_back({{"operator", task.op->name},
                    {"shape", task.shape->id},
                    {"params", std::move(values)},
                    {"sequences", std::move(sequences)},
                    {"dtype", number_type_name(parameters.dtype)}});
  }
  const Json document = {
      {"device", question.device},
      {"seconds", question.seconds},
      {"limit_seconds", question.limit_seconds > 0 ? Json(question.limit_seconds) : Json(nullptr)},
      {"rows", std::move(rows)}};
  return document.dump();
}

std::optional<TorchAnswer> answer_of(const Json& line) {
  TorchAnswer answer;
  answer.operator_name = line.text_at("operator");
  answer.shape_id = line.text_at("shape");
  std::optional<RivalMeasurement> measurement = rival_of_json(line, "rival");
  if (answer.operator_name.empty() || answer.shape_id.empty() || !measurement) return std::nullopt;
  answer.measurement = std::move(*measurement);
  return answer;
}

bool asked_for(const TorchQuestion& question, const TorchAnswer& answer) {
  for (const BenchTask& task : question.tasks) {
    if (task.op->name == answer.operator_name && task.shape->id == answer.shape_id) return true;
  }
  return false;
}

std::string last_line(const std::string& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (line.find_first_not_of(" \r\t") != std::string::npos) last = line;
  }
  return last.substr(0, 300);
}

bool write_text(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return static_cast<bool>(file);
}

}  // namespace

TorchOutcome ask_torch(const TorchQuestion& question, const std::string& folder,
                       const std::function<void(TorchAnswer)>& answered) {
  TorchOutcome outcome;
  const std::string python = question.python.empty() ? program_path("python3") : question.python;
  if (python.empty()) {
    outcome.complaint = "no rival: there is no python3 on the PATH";
    return outcome;
  }
  const std::string script = folder + "/torch_operators.py";
  const LineProgram program = {.command = {python, "-u", script},
                               .input = folder + "/torch_question.json",
                               .errors = folder + "/torch_errors.txt",
                               .patience_s = question.patience_s};
  if (!write_text(script, embedded_torch_operators()) ||
      !write_text(program.input, question_text(question))) {
    outcome.complaint = fmt::format("no rival: cannot write to {}", folder);
    return outcome;
  }
  std::string error;
  std::size_t strange = 0;
  const Result<int> code = run_line_program(program, [&](std::string_view text) {
    const Json line = Json::parse(text);
    if (line.is_object() && line.contains("error") && line["error"].is_string()) {
      error = line["error"].get<std::string>();
      return;
    }
    std::optional<TorchAnswer> answer = line.is_object() ? answer_of(line) : std::nullopt;
    if (!answer || !asked_for(question, *answer)) {
      ++strange;
      return;
    }
    ++outcome.answers;
    answered(std::move(*answer));
  });
  if (!code) {
    outcome.complaint =
        fmt::format("the rival: {}, after {} answers", code.error().message, outcome.answers);
  } else if (*code == kNoTorch) {
    outcome.complaint = fmt::format("no rival: {} has no torch that works ({})", python, error);
  } else if (*code != 0) {
    const std::string why = last_line(program.errors);
    outcome.complaint = fmt::format("the rival ended with code {} after {} answers{}{}", *code,
                                    outcome.answers, why.empty() ? "" : ": ", why);
  } else if (strange > 0) {
    outcome.complaint = fmt::format("the rival: {} lines were not answers", strange);
  }
  return outcome;
}

void add_rival(BenchRow& row, RivalMeasurement measurement) {
  const bool other = measurement.differs && !(*measurement.differs <= kComputesSomethingElse);
  if (measurement.t_ns && *measurement.t_ns > 0 && !other &&
      (!row.rival || *measurement.t_ns < row.rival->t_ns)) {
    row.rival = RivalTime{measurement.name, *measurement.t_ns};
  }
  row.rivals.push_back(std::move(measurement));
}

}  // namespace tactus
