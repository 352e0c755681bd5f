#ifndef CURLEW_CZLIB_SHIM_H
#define CURLEW_CZLIB_SHIM_H

#include <zlib.h>

/* `inflateInit2` is a macro, which Swift cannot call. */
static inline int curlew_inflate_init(z_stream *_Nonnull stream, int window_bits) {
  return inflateInit2(stream, window_bits);
}

#endif
