#include "raw_xml.h"
#include <libxml/c14n.h>
#include <libxml/parser.h>

static xmlDocPtr read_document(const char *bytes, int count) {
  return xmlReadMemory(bytes, count, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOCDATA);
}

int raw_xml_read(const char *bytes, int count) {
  xmlDocPtr document = read_document(bytes, count);
  if (document == NULL) return 1;
  xmlFreeDoc(document);
  return 0;
}

int raw_xml_canonical(const char *bytes, int count) {
  xmlDocPtr document = read_document(bytes, count);
  if (document == NULL) return 1;
  xmlChar *form = NULL;
  int size = xmlC14NDocDumpMemory(document, NULL, XML_C14N_1_0, NULL, 0, &form);
  xmlFree(form);
  xmlFreeDoc(document);
  return size < 0;
}
