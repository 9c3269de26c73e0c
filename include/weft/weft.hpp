// SPDX-License-Identifier: Apache-2.0
/// @file
/// All of weft's C++ interface.
#pragma once

#include "weft/all_gather_matmul.hpp"
#include "weft/arch.hpp"
#include "weft/config.hpp"
#include "weft/database.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"
#include "weft/problem.hpp"
#include "weft/select.hpp"
#include "weft/trace.hpp"
#include "weft/version.hpp"
#include "weft/world.hpp"
