#ifndef RAW_YAML_H
#define RAW_YAML_H

#include <stddef.h>

/// Reads all events of a text and drops each. The number of events, or -1 on an error.
long raw_yaml_events(const unsigned char *text, size_t length);

#endif
