#ifndef CURLEW_CSQLITE_SHIM_H
#define CURLEW_CSQLITE_SHIM_H

#include <sqlite3.h>

/* SQLITE_TRANSIENT casts an integer to a function pointer, which Swift cannot import. SQLite copies the bytes. */
static inline int curlew_sqlite_bind_text(
    sqlite3_stmt *_Nonnull statement, int index, const char *_Nullable bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int curlew_sqlite_bind_blob(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

#endif
