#ifndef CURLEW_CLIBXML2_SHIM_H
#define CURLEW_CLIBXML2_SHIM_H

/* ICU's headers, which libxml2's would bring along, are not those of Foundation, and a program that imports both does not
   compile. Nothing here looks at what they declare: two pointers at the end of a struct that is only passed on. */
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

/* A macro around a function pointer that Swift cannot see. */
static inline void curlew_xml_free(void *_Nullable memory) { xmlFree(memory); }

/* The handlers that print, variadic and so out of Swift's reach: what they would be told, serror is. */
static inline void curlew_xml_silence(xmlSAXHandler *_Nonnull handler) {
  handler->warning = NULL;
  handler->error = NULL;
  handler->fatalError = NULL;
}

/* The handler that is told of what knows no parser and no kind, and that prints unless another is set; it belongs to the
   thread, and is variadic and so out of Swift's reach. Gives the earlier one back, to be set again. */
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

/* Bytes that have been read but could not be converted: those of a cut character. */
static inline size_t curlew_xml_unconverted(xmlParserCtxtPtr _Nonnull context) {
  if (context->input == NULL || context->input->buf == NULL || context->input->buf->raw == NULL) return 0;
  return xmlBufUse(context->input->buf->raw);
}

#endif
