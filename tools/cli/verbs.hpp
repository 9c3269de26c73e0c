// SPDX-License-Identifier: Apache-2.0
// One function a verb: adds the subcommand with its options, help and callback.
#pragma once

#include "common.hpp"

namespace weft::cli {

void add_info(CLI::App& app, Context& context);
void add_select(CLI::App& app, Context& context);
void add_run(CLI::App& app, Context& context);
void add_bench(CLI::App& app, Context& context);
void add_db(CLI::App& app, Context& context);

}  // namespace weft::cli
