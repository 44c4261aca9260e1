#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace tactus::meters {

/// Which meters come first where not all can be read as often as asked.
enum class Usefulness : std::uint8_t {
  kCause,       ///< names a cause by itself: clocks and their reasons, own and foreign use
  kDetail,      ///< shows where: activity, traffic, memory, disks
  kBackground,  ///< changes slowly, or costs more than it says
};

/// What a reader reads, and how often at most.
struct ReaderFacts {
  const char* name = "";  ///< for people
  std::string device = "Host";
  std::int64_t least_ns = 0;  ///< nothing new, if it is read more often
  Usefulness use = Usefulness::kDetail;
};

/// A reader as the budget sees it.
struct Demand {
  double cost_ns = 0;          ///< processor time of one reading
  std::int64_t wanted_ns = 0;  ///< between readings
  Usefulness use = Usefulness::kDetail;
};

/// How far apart readings have to be so that all of them together take no more than that share of a
/// core: as far as wanted if that is enough. Otherwise, half of the budget is shared evenly, so
/// that no meter stops; what one does not need is for the others, so cheap ones keep their rate.
/// The other half goes to the more useful ones first.
std::vector<std::int64_t> fit_budget(std::span<const Demand> demands, double share);

/// How often a reader was read, and what kept it from being read more often.
struct MeterRate {
  enum class Limit : std::uint8_t {
    kAsked,   ///< as often as asked for
    kSource,  ///< the source has nothing new more often
    kCost,    ///< the budget
    kLate,    ///< calls of its thread take too long, or the machine is too busy
  };
  std::string name;
  std::string device;
  std::uint64_t readings = 0;
  double wanted_hz = 0;  ///< asked for, or what the source can give
  double hz = 0;         ///< reached
  double cost_ns = 0;    ///< processor time per reading
  Limit limit = Limit::kAsked;
};

/// The processor time that meters may take: a share of a core for the host, and as much for each
/// GPU. Readers on several threads share it; each is charged with what it costs.
class MeterBudget {
 public:
  /// `share` 0: no limit. `turn_ns` is the time between readings that was asked for.
  MeterBudget(double share, std::int64_t turn_ns) : share_(share), turn_ns_(turn_ns) {}

  /// The number of the reader.
  std::size_t add(const ReaderFacts& facts);
  /// A reading was done; `cpu_ns` is its processor time.
  void charge(std::size_t reader, std::int64_t cpu_ns, std::int64_t now_ns);
  /// Until its next reading, from the one before.
  std::int64_t period_ns(std::size_t reader) const;

  /// Until that time.
  std::vector<MeterRate> rates(std::int64_t now_ns) const;

 private:
  struct Account {
    std::string name;
    std::string device;
    Demand demand;
    std::int64_t period_ns = 0;
    std::uint64_t readings = 0;
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
    std::int64_t slowest_ns = 0;  ///< the longest period that was granted
  };
  void fit();
  MeterRate rate_of(const Account& account, std::int64_t now_ns) const;

  const double share_;
  const std::int64_t turn_ns_;
  mutable std::mutex mutex_;
  std::vector<Account> accounts_;
  std::int64_t began_ns_ = 0;
  std::int64_t fitted_ns_ = 0;
};

}  // namespace tactus::meters
