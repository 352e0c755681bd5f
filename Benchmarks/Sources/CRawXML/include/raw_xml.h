#ifndef CURLEW_RAW_XML_H
#define CURLEW_RAW_XML_H

/* Parses a document with xmlReadMemory and frees it; 0 when that worked. */
int raw_xml_read(const char *bytes, int count);

/* The same, and its canonical form with xmlC14NDocDumpMemory. */
int raw_xml_canonical(const char *bytes, int count);

#endif
