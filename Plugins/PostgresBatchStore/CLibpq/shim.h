#ifndef CURLEW_CLIBPQ_SHIM_H
#define CURLEW_CLIBPQ_SHIM_H

#include <libpq-fe.h>

#endif
