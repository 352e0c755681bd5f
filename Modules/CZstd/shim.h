#ifndef CURLEW_CZSTD_SHIM_H
#define CURLEW_CZSTD_SHIM_H

#include <zstd.h>
#include <zstd_errors.h>

#endif
