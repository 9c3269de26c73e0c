// SPDX-License-Identifier: Apache-2.0
#include "weft/all_gather_matmul.hpp"

#include <vector>

#include "comm/endpoint.hpp"

namespace weft {
namespace {

// Plans of one rank. A model has hundreds; comparing a Problem is a few loads.
struct PlanCache {
  struct Item {
    Problem problem;
    SelectOptions select;
    std::shared_ptr<ConfigDatabase> database;
    UnfusedForm form;
    TraceSink* trace;
    Plan plan;
  };
  std::vector<Item> items;
};

}  // namespace

void all_gather_matmul(Rank& rank, const Problem& problem, const RunArgs& args,
                       const PlanOptions& options) {
  std::shared_ptr<void>& slot = rank.endpoint().plan_cache;
  if (!slot) slot = std::make_shared<PlanCache>();
  auto& items = static_cast<PlanCache*>(slot.get())->items;
  for (PlanCache::Item& item : items) {
    if (item.problem == problem && item.form == options.unfused_form &&
        item.trace == options.trace && item.database == options.database &&
        item.select == options.select) {
      item.plan.run(args);
      return;
    }
  }
  items.push_back({problem, options.select, options.database, options.unfused_form, options.trace,
                   Plan(rank, problem, options)});
  items.back().plan.run(args);
}

}  // namespace weft
