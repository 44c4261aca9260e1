// Disks and networks.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "record/meters/host/host_meters.h"
#include "record/meters/host/proc_text.h"

namespace tactus::meters {
namespace {

class DiskMeter : public MeterReader {
 public:
  explicit DiskMeter(const Root& root)
      : MeterReader({.name = "disks", .least_ns = 20 * kMillisecond}),
        root_(root),
        file_(root, "/proc/diskstats") {}

  void read(MeterSink& sink) override {
    const std::optional<std::string_view> text = file_.read(buffer_);
    const MeterTime time = meter_time();
    if (!text) {
      sink.table().report(
          {.what = "disks of the host", .reason = file_.reason(), .fix = "mount /proc"});
      return;
    }
    for (const DiskTotals& totals : parse_disks(*text)) {
      if (Disk* const disk = disk_of(totals.name)) add(sink, time, totals, *disk);
    }
  }

 private:
  struct Disk {
    explicit Disk(const std::string& name)
        : read("disk_read", MeterScope::kAll, name),
          write("disk_write", MeterScope::kAll, name),
          util("disk_util", MeterScope::kAll, name),
          await("disk_await", MeterScope::kAll, name) {}

    Growth read_bytes, write_bytes, busy_ms;
    Growth requests, request_ms;
    Counter read, write, util, await;
  };

  /// Null for a partition, whose bytes are those of its disk.
  Disk* disk_of(std::string_view name) {
    const auto at = disks_.find(name);
    if (at != disks_.end()) return at->second.get();
    std::string text(name);
    const bool is_whole = is_disk_of_its_own(name) && name.find('/') == std::string_view::npos &&
                          root_.has("/sys/block/" + text);
    auto disk = is_whole ? std::make_unique<Disk>(text) : nullptr;
    return disks_.emplace(std::move(text), std::move(disk)).first->second.get();
  }

  static void add(MeterSink& sink, const MeterTime& time, const DiskTotals& totals, Disk& disk) {
    sink.rate(time, disk.read_bytes, totals.read_bytes, disk.read);
    sink.rate(time, disk.write_bytes, totals.write_bytes, disk.write);
    const std::optional<Grown> busy = disk.busy_ms.next(totals.busy_ms, time);
    if (busy) {
      sink.over(time, busy->window_ns, disk.util, std::min(100.0, busy->per_second() / 10));
    }
    const std::optional<Grown> requests = disk.requests.next(totals.reads + totals.writes, time);
    const std::optional<Grown> took = disk.request_ms.next(totals.read_ms + totals.write_ms, time);
    if (requests && took && requests->by > 0) {
      sink.over(time, took->window_ns, disk.await,
                static_cast<double>(took->by) / static_cast<double>(requests->by));
    }
  }

  Root root_;
  RootFile file_;
  std::string buffer_;
  std::map<std::string, std::unique_ptr<Disk>, std::less<>> disks_;
};

class NetworkMeter : public MeterReader {
 public:
  explicit NetworkMeter(const Root& root)
      : MeterReader({.name = "networks", .least_ns = 20 * kMillisecond}),
        root_(root),
        file_(root, "/proc/net/dev") {}

  void read(MeterSink& sink) override {
    const std::optional<std::string_view> text = file_.read(buffer_);
    const MeterTime time = meter_time();
    if (!text) {
      sink.table().report(
          {.what = "networks of the host", .reason = file_.reason(), .fix = "mount /proc"});
      return;
    }
    const std::vector<NetworkTotals> all = parse_networks(*text);
    for (const NetworkTotals& totals : all) look_at(totals.name);
    for (const NetworkTotals& totals : all) {
      Card& card = *cards_.find(totals.name)->second;
      if (!card.is_real && (has_real_ || card.is_made_up)) continue;
      sink.rate(time, card.rx, totals.rx_bytes, card.received);
      sink.rate(time, card.tx, totals.tx_bytes, card.sent);
      sink.rate(time, card.lost, totals.rx_drops + totals.tx_drops, card.drops);
    }
  }

 private:
  struct Card {
    explicit Card(const std::string& name)
        : received("net_rx_rate", MeterScope::kAll, name),
          sent("net_tx_rate", MeterScope::kAll, name),
          drops("net_drops", MeterScope::kAll, name) {}

    bool is_real = false;     ///< hardware stands behind it
    bool is_made_up = false;  ///< its bytes never leave the host, or go through another card
    Growth rx, tx, lost;
    Counter received, sent, drops;
  };

  void look_at(std::string_view name) {
    if (cards_.find(name) != cards_.end()) return;
    std::string text(name);
    auto card = std::make_unique<Card>(text);
    card->is_real =
        name.find('/') == std::string_view::npos && root_.has("/sys/class/net/" + text + "/device");
    for (const std::string_view other : {"lo", "ifb", "docker", "veth", "br-", "virbr", "dummy"}) {
      card->is_made_up |= name.starts_with(other);
    }
    has_real_ |= card->is_real;
    cards_.emplace(std::move(text), std::move(card));
  }

  Root root_;
  RootFile file_;
  std::string buffer_;
  std::map<std::string, std::unique_ptr<Card>, std::less<>> cards_;
  bool has_real_ = false;  ///< without one, this is a container: its end of a pair is what counts
};

class InfinibandMeter : public MeterReader {
 public:
  explicit InfinibandMeter(const Root& root)
      : MeterReader({.name = "infiniband", .least_ns = 20 * kMillisecond}) {
    const std::string top = "/sys/class/infiniband";
    for (const std::string& card : root.names_in(top)) {
      const std::string ports = fmt::format("{}/{}/ports", top, card);
      for (const std::string& port : root.names_in(ports)) {
        const std::string label = fmt::format("{}/{}", card, port);
        const std::string folder = fmt::format("{}/{}/counters/", ports, port);
        counters_.push_back({RootFile(root, folder + "port_rcv_data"),
                             {},
                             Counter("ib_rx_rate", MeterScope::kAll, label)});
        counters_.push_back({RootFile(root, folder + "port_xmit_data"),
                             {},
                             Counter("ib_tx_rate", MeterScope::kAll, label)});
      }
    }
  }

  void read(MeterSink& sink) override {
    for (PortCounter& port : counters_) {
      const std::optional<std::string_view> text = port.file.read(buffer_);
      const MeterTime time = meter_time();
      const std::optional<std::uint64_t> words = text ? whole_number(*text) : std::nullopt;
      sink.rate(time, port.words, words, port.counter, 4);  // counted in words of four bytes
    }
  }

 private:
  struct PortCounter {
    RootFile file;
    Growth words;
    Counter counter;
  };

  std::vector<PortCounter> counters_;
  std::string buffer_;
};

}  // namespace

std::unique_ptr<MeterReader> disk_meter(const Root& root) {
  return std::make_unique<DiskMeter>(root);
}

std::unique_ptr<MeterReader> network_meter(const Root& root) {
  return std::make_unique<NetworkMeter>(root);
}

std::unique_ptr<MeterReader> infiniband_meter(const Root& root) {
  return std::make_unique<InfinibandMeter>(root);
}

}  // namespace tactus::meters
