// SPDX-License-Identifier: Apache-2.0
// The only place that knows which compiler is at work.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define WEFT_HD __host__ __device__
#else
#define WEFT_HD
#endif
