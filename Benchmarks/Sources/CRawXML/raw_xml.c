#include "raw_xml.h"
#include <libxml/parser.h>

int raw_xml_read(const char *bytes, int count) {
  xmlDocPtr document = xmlReadMemory(bytes, count, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOCDATA);
  if (document == NULL) return 1;
  xmlFreeDoc(document);
  return 0;
}
