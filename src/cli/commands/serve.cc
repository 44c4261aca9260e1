#include <fmt/format.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/inputs/page_parts.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "serve/http/http_server.h"

namespace tactus::cli {
namespace {

class ServeCommand final : public Command {
 public:
  std::string name() const override { return "serve"; }
  std::string description() const override {
    return "Show runs in a browser, live and of any size";
  }
  std::string details() const override {
    return "Prints an address to open in a browser on this machine. The page is that of tactus "
           "report; runs of any size are shown, because the browser gets only what it shows. A "
           "recording that is still being made is followed. A trace that is dropped onto the page "
           "is imported; that copy goes away when the server ends. Without the token in the "
           "address, nobody gets anything.";
  }
  std::string examples() const override {
    return "  tactus serve run.tact\n"
           "  tactus serve good.tact bad.tact --open compare\n"
           "  tactus serve                        # an empty page to drop traces onto\n"
           "  tactus serve run.tact --port 8080   # on another machine: ssh -L 8080:127.0.0.1:8080 "
           "HOST\n";
  }

  void add_options(Options& options) override {
    options.add("RUN", inputs_, "a .tact file, or any input that import reads").file("RUN");
    options.add("--port", port_, "the port to use (default: one that is free)").between(0, 65535);
    options
        .add("--host", host_,
             "the address to listen on; others than 127.0.0.1 let other machines in")
        .type_name("ADDRESS")
        .not_empty();
    options.add("--open", open_, "the part to show first:").choices(kPageParts).type_name("PART");
  }

  Result<int> run(const CommonOptions& common) override {
    std::unique_ptr<Progress> progress = make_progress(common.quiet);
    NoProgress silent;  // of what comes later
    serve::ServedPage page(thread_count(common), silent);
    if (Status made = page.make_folder(); !made) return made.error();
    for (const std::string& input : inputs_) {
      progress->update("open " + serve::file_name(input), 0, 0);
      if (Status opened = page.open(input, serve::file_name(input)); !opened) return opened.error();
    }
    progress.reset();  // wipes the bar
    serve::HttpServer server(page, {.host = host_,
                                    .port = static_cast<int>(port_),
                                    .open = !open_.empty()        ? open_
                                            : inputs_.size() == 2 ? "compare"
                                                                  : "overview",
                                    .version = kVersion});
    if (Status bound = server.bind(); !bound) return bound.error();
    page.follow();
    if (Status printed = print(server.address() + "  (Ctrl-C ends)\n"); !printed) {
      return printed.error();
    }
    server.run();
    return kDone;
  }

 private:
  std::vector<std::string> inputs_;
  std::size_t port_ = 0;
  std::string host_ = "127.0.0.1";
  std::string open_;
};

}  // namespace

std::unique_ptr<Command> serve_command() {
  return std::make_unique<ServeCommand>();
}

}  // namespace tactus::cli
