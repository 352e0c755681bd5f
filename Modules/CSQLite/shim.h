#ifndef CURLEW_CSQLITE_SHIM_H
#define CURLEW_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
