// SPDX-License-Identifier: Apache-2.0
// Stands in for NVIDIA's driver library: one device of compute capability 9.0 with 132 units.
#include <cstring>

extern "C" {

int cuInit(unsigned /*flags*/) { return 0; }
int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int /*device*/) {
  *value = attribute == 16 ? 132 : attribute == 75 ? 9 : 0;
  return 0;
}
int cuDeviceGetName(char* name, int size, int /*device*/) {
  std::strncpy(name, "Pretend GPU", static_cast<unsigned>(size));
  return 0;
}
}
