#include "raw_yaml.h"

#include <yaml.h>

long raw_yaml_events(const unsigned char *text, size_t length) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return -1;
  yaml_parser_set_input_string(&parser, text, length);
  long count = 0;
  for (;;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) {
      count = -1;
      break;
    }
    int is_end = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
    count++;
    if (is_end) break;
  }
  yaml_parser_delete(&parser);
  return count;
}
