// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/call.hpp"

#include "kernels/cpu/span.hpp"

namespace weft::cpu {

void publish_shard(const Call& call) {
  PeerBlock& own = call.peers[call.rank()];
  own.a = call.a.data;
  own.lda = call.a.ld;
  set_flag(own.ready, call.epoch);
}

ConstMatrix wait_for_shard(const Call& call, std::int32_t peer, std::int32_t worker) {
  const PeerBlock& block = call.peers[peer];
  if (!epoch_reached(read_flag(block.ready), call.epoch)) {
    const Span span(call.trace, TraceKind::kWait, call.rank(), worker);
    call.waiter->wait(block.ready, call.epoch, peer, &call.tickets->abort,
                      [&] { return fmt::format("the ready flag of rank {}'s shard", peer); });
  }
  return {block.a, block.lda};
}

void signal_done(const Call& call) { set_flag(call.peers[call.rank()].done, call.epoch); }

void wait_for_readers(const Call& call) {
  const Span span(call.trace, TraceKind::kWait, call.rank(), 0);
  for (std::int32_t peer = 0; peer < call.world_size(); ++peer) {
    call.waiter->wait(call.peers[peer].done, call.epoch, peer, nullptr, [&] {
      return fmt::format("the done flag of rank {}, which reads this rank's shard", peer);
    });
  }
}

void drain_readers(const Call& call) noexcept {
  for (std::int32_t peer = 0; peer < call.world_size(); ++peer) {
    static_cast<void>(call.waiter->reached(call.peers[peer].done, call.epoch, peer, nullptr));
  }
}

}  // namespace weft::cpu
