#ifndef CURLEW_CLIBCURL_SHIM_H
#define CURLEW_CLIBCURL_SHIM_H
#include <curl/curl.h>
#endif
