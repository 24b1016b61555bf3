// libFuzzer as a library: its header is not part of the toolchain.
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one_input)(const uint8_t *data, size_t size));
