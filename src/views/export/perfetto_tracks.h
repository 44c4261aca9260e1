#pragma once

#include <cstdint>
#include <string>

#include "run/run.h"
#include "views/export/protobuf_writer.h"

namespace tactus {

/// The uuids of Perfetto's tracks: first the processes of a run, then its tracks, then its counter
/// series. Further lanes of a track have the same lower 32 bits.
struct PerfettoUuids {
  explicit PerfettoUuids(const Run& run)
      : tracks(1 + run.processes.size()), series(tracks + run.tracks.size()) {}

  static std::uint64_t process(std::size_t index) { return 1 + index; }
  std::uint64_t track(std::size_t index, std::size_t lane = 0) const {
    return (tracks + index) | (static_cast<std::uint64_t>(lane) << 32);
  }

  std::uint64_t tracks;  ///< of the first
  std::uint64_t series;
};

/// Writes the bodies of TrackDescriptors.
class PerfettoTracks {
 public:
  explicit PerfettoTracks(const Run& run);

  const PerfettoUuids& uuids() const { return uuids_; }

  void write_process(ProtobufWriter& out, std::size_t index) const;
  void write_track(ProtobufWriter& out, std::size_t index, std::size_t lane) const;
  void write_series(ProtobufWriter& out, std::size_t index) const;

 private:
  std::string ident_text(const Ident& ident) const;
  std::string process_name(std::size_t index) const;
  std::string track_name(std::size_t index) const;

  const Run& run_;
  PerfettoUuids uuids_;
  std::vector<bool> runs_code_;  ///< by process: it has a host thread
};

/// What a trace of Perfetto has no place for, as JSON: who recorded it, devices, ranks, pids that
/// are texts, the parts of counter names. Reading the trace again then gives an equal run.
std::string perfetto_facts(const Run& run, const PerfettoUuids& uuids);

}  // namespace tactus
