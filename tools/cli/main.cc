// SPDX-License-Identifier: Apache-2.0
// weft: the command line. Parses, runs one verb, turns every failure into one line and a code.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <system_error>

#include "core/log.hpp"
#include "verbs.hpp"

namespace weft::cli {
namespace {

constexpr const char* kPurpose =
    "weft: fused all-gather + matmul that picks its own configuration.\n"
    "C[M,N] = gather(A)[M,K] * B[K,N] + bias[N], on each of world_size ranks. M, N, K are the\n"
    "extents of the product that one rank computes after the gather.";

constexpr const char* kExamples =
    "Examples:\n"
    "  weft info                                   what weft sees on this machine\n"
    "  weft select 8192 128 4096 --world-size 2    what would run, and why\n"
    "  weft run 8192 128 4096 --world-size 2       run it on random data and check the result\n"
    "  weft db list --sort speedup                 everything the database claims\n"
    "'weft VERB --help' explains a verb.";

std::string version_text() {
  const BuildInfo info = build_info();
  return fmt::format(
      "weft {}\ncommit        {}\nbackends      {}\nmicro-kernel  {}\ncompiler      {}",
      info.version, info.commit, info.backends, info.micro_kernel, info.compiler);
}

int complain(int code, std::string_view message) {
  std::fprintf(stderr, "weft: %.*s\n", static_cast<int>(message.size()), message.data());
  return code;
}

/// The deepest verb that the command line reached, as the user would type it.
std::string reached_verb(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* verb : app.get_subcommands()) name += " " + reached_verb(*verb);
  return name;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app(kPurpose, "weft");
  Context context;
  app.require_subcommand(0, 1);
  app.footer(help_footer(kExamples));
  app.set_version_flag("--version", version_text,
                       "Print version, commit, backends and micro-kernel, and exit");
  app.set_help_flag("-h,--help", "Print this page, and exit");
  add_info(app, context);
  add_select(app, context);
  add_run(app, context);
  add_bench(app, context);
  add_db(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& page) {
    app.exit(page);
    return kOk;
  } catch (const CLI::ParseError& error) {
    return complain(kUsage, fmt::format("{}; see '{} --help'", error.what(), reached_verb(app)));
  }
  require_verb(app);
  return context.exit;
}

/// Output that did not reach its reader is a failure too.
int flush_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return complain(kRuntime, fmt::format("standard output: cannot write ({}); free space or choose "
                                        "another place",
                                        std::strerror(errno)));
}

int run_main(int argc, char** argv) {
  // A file-size limit shall be an error like a full disk, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    log::level();  // a malformed WEFT_LOG is refused before anything is printed
    return flush_output(parse_and_run(argc, argv));
  } catch (const Error& error) {
    return complain(exit_code(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return complain(kRuntime, "out of memory; use smaller sizes or fewer ranks");
  } catch (const std::exception& error) {
    return complain(kRuntime, error.what());
  }
}

}  // namespace
}  // namespace weft::cli

int main(int argc, char** argv) { return weft::cli::run_main(argc, argv); }
