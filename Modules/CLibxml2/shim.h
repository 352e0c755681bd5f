#ifndef CURLEW_CLIBXML2_SHIM_H
#define CURLEW_CLIBXML2_SHIM_H

/* libxml2's headers would include ICU's. These differ from Foundation's copy of ICU, so a program that imports both would not
   compile. Without them, only two pointers at the end of a struct are missing, and Curlew only passes pointers to that struct. */
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/SAX2.h>
#include <libxml/c14n.h>
#include <libxml/encoding.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <libxml/uri.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlmemory.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

/* `xmlFree` is a macro around a function pointer, which Swift cannot call. */
static inline void curlew_xml_free(void *_Nullable memory) { xmlFree(memory); }

/* Removes the handlers that print messages. Swift cannot set them, because they are variadic. The handler `serror` receives the
   same errors. */
static inline void curlew_xml_silence(xmlSAXHandler *_Nonnull handler) {
  handler->warning = NULL;
  handler->error = NULL;
  handler->fatalError = NULL;
}

/* A handler for the errors that libxml2 reports without a parser and an error kind; the default one prints them. There is one for
   each thread, and Swift cannot set it, because it is variadic. `curlew_xml_print_nothing` installs this one and returns the
   previous one, which `curlew_xml_print` restores. */
static inline void curlew_xml_ignore(void *_Nullable context, const char *_Nullable message, ...) {
  (void)context;
  (void)message;
}
typedef void (*curlew_xml_printer)(void);
static inline curlew_xml_printer _Nullable curlew_xml_print_nothing(void) {
  xmlGenericErrorFunc *place = __xmlGenericError();
  curlew_xml_printer earlier = (curlew_xml_printer)*place;
  *place = curlew_xml_ignore;
  return earlier;
}
static inline void curlew_xml_print(curlew_xml_printer _Nullable earlier) {
  *__xmlGenericError() = (xmlGenericErrorFunc)earlier;
}

/* Sets the encoding that a document declares. The member is constant before libxml2 2.14. */
static inline void curlew_xml_set_encoding(xmlDocPtr _Nonnull document, const char *_Nonnull encoding) {
  document->encoding = xmlStrdup((const xmlChar *)encoding);
}

/* Returns the number of bytes that were read but not converted, because they are the beginning of an incomplete character. */
static inline size_t curlew_xml_unconverted(xmlParserCtxtPtr _Nonnull context) {
  if (context->input == NULL || context->input->buf == NULL || context->input->buf->raw == NULL) return 0;
  return xmlBufUse(context->input->buf->raw);
}

#endif
