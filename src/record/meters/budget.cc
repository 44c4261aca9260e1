#include "record/meters/budget.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace tactus::meters {
namespace {

/// Shares of a core, wanted and granted.
struct Grant {
  double need = 0;
  double granted = 0;
  Usefulness use = Usefulness::kDetail;

  double unmet() const { return need - granted; }
};

/// Gives as much to each as to the others; who needs less leaves the rest to them. Returns what is
/// left.
double share_evenly(std::vector<Grant*> grants, double rest) {
  std::sort(grants.begin(), grants.end(),
            [](const Grant* a, const Grant* b) { return a->unmet() < b->unmet(); });
  std::size_t left = grants.size();
  for (Grant* grant : grants) {
    const double given = std::min(grant->unmet(), rest / static_cast<double>(left--));
    grant->granted += given;
    rest -= given;
  }
  return rest;
}

/// The grants of these uses.
template <class Wanted>
std::vector<Grant*> those(std::vector<Grant>& grants, Wanted wanted) {
  std::vector<Grant*> found;
  for (Grant& grant : grants) {
    if (wanted(grant)) found.push_back(&grant);
  }
  return found;
}

}  // namespace

std::vector<std::int64_t> fit_budget(std::span<const Demand> demands, double share) {
  std::vector<Grant> grants;
  double needed = 0;
  for (const Demand& demand : demands) {
    grants.push_back({.need = demand.cost_ns / static_cast<double>(demand.wanted_ns),
                      .granted = 0,
                      .use = demand.use});
    needed += grants.back().need;
  }
  std::vector<std::int64_t> periods;
  for (const Demand& demand : demands) periods.push_back(demand.wanted_ns);
  if (needed <= share) return periods;
  double rest = share / 2;
  rest += share_evenly(those(grants, [](const Grant&) { return true; }), share / 2);
  for (const Usefulness use : {Usefulness::kCause, Usefulness::kDetail, Usefulness::kBackground}) {
    rest = share_evenly(those(grants, [&](const Grant& one) { return one.use == use; }), rest);
  }
  for (std::size_t i = 0; i < demands.size(); ++i) {
    if (grants[i].granted <= 0) continue;
    const double period_ns = demands[i].cost_ns / grants[i].granted;
    constexpr double kMost = 3600e9;
    periods[i] = std::max(periods[i], static_cast<std::int64_t>(std::min(period_ns, kMost)));
  }
  return periods;
}

std::size_t MeterBudget::add(const ReaderFacts& facts) {
  const std::lock_guard lock(mutex_);
  Account account{.name = facts.name, .device = facts.device};
  account.demand.wanted_ns = std::max(facts.least_ns, turn_ns_);
  account.demand.use = facts.use;
  account.period_ns = account.demand.wanted_ns;
  accounts_.push_back(std::move(account));
  return accounts_.size() - 1;
}

void MeterBudget::charge(std::size_t reader, std::int64_t cpu_ns, std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  Account& account = accounts_[reader];
  if (account.readings++ == 0) {
    // The first reading loads and allocates; that says nothing about the next ones.
    account.first_ns = account.last_ns = now_ns;
    return;
  }
  account.last_ns = now_ns;
  // The mean of about the last ones: costs change with the number of processes.
  constexpr std::uint64_t kRemembered = 16;
  const auto weight = static_cast<double>(std::min(account.readings - 1, kRemembered));
  account.demand.cost_ns += (static_cast<double>(cpu_ns) - account.demand.cost_ns) / weight;
  // The first second shows what they cost: until then caches are cold, and a recording that is
  // shorter should have some samples.
  constexpr std::int64_t kFirstFit = 1'000'000'000;
  constexpr std::int64_t kBetweenFits = 100'000'000;
  if (began_ns_ == 0) began_ns_ = now_ns;
  if (share_ <= 0 || now_ns - began_ns_ < kFirstFit || now_ns - fitted_ns_ < kBetweenFits) return;
  fitted_ns_ = now_ns;
  fit();
}

std::int64_t MeterBudget::period_ns(std::size_t reader) const {
  const std::lock_guard lock(mutex_);
  return accounts_[reader].period_ns;
}

void MeterBudget::fit() {
  std::vector<Demand> demands;
  std::set<std::string_view> devices;
  for (const Account& account : accounts_) {
    demands.push_back(account.demand);
    devices.insert(account.device);
  }
  const std::vector<std::int64_t> periods =
      fit_budget(demands, share_ * static_cast<double>(devices.size()));
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    accounts_[i].period_ns = periods[i];
    accounts_[i].slowest_ns = std::max(accounts_[i].slowest_ns, periods[i]);
  }
}

std::vector<MeterRate> MeterBudget::rates(std::int64_t now_ns) const {
  const std::lock_guard lock(mutex_);
  std::vector<MeterRate> rates;
  for (const Account& account : accounts_) rates.push_back(rate_of(account, now_ns));
  std::sort(rates.begin(), rates.end(), [](const MeterRate& a, const MeterRate& b) {
    return std::tie(a.device, a.name) < std::tie(b.device, b.name);
  });
  return rates;
}

MeterRate MeterBudget::rate_of(const Account& account, std::int64_t now_ns) const {
  const std::int64_t wanted_ns = account.demand.wanted_ns;
  MeterRate rate{
      .name = account.name,
      .device = account.device,
      .readings = account.readings,
      .wanted_hz = 1e9 / static_cast<double>(wanted_ns),
      .hz = 0,
      .cost_ns = account.demand.cost_ns,
      .limit = wanted_ns > turn_ns_ ? MeterRate::Limit::kSource : MeterRate::Limit::kAsked};
  if (account.readings < 2) return rate;
  // Also the time in which it was due and not read.
  const std::int64_t watched_ns = std::max(
      {account.last_ns - account.first_ns, now_ns - account.first_ns - wanted_ns, std::int64_t{1}});
  rate.hz = static_cast<double>(account.readings - 1) * 1e9 / static_cast<double>(watched_ns);
  // A tenth less is what a busy machine does to any thread that sleeps.
  constexpr double kClearly = 1.1;
  if (rate.hz * kClearly >= rate.wanted_hz) return rate;
  const bool is_slowed =
      static_cast<double>(account.slowest_ns) > static_cast<double>(wanted_ns) * kClearly;
  // A few readings say nothing about being late.
  constexpr std::int64_t kEnough = 10;
  if (is_slowed) {
    rate.limit = MeterRate::Limit::kCost;
  } else if (watched_ns >= kEnough * wanted_ns) {
    rate.limit = MeterRate::Limit::kLate;
  }
  return rate;
}

}  // namespace tactus::meters
