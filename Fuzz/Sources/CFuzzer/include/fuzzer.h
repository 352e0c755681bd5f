// What libFuzzer offers to programs that bring their own `main`, as SwiftPM's executables do.
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test_one_input)(const uint8_t *data, size_t size));
