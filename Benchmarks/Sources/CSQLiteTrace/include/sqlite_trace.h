#ifndef CURLEW_SQLITE_TRACE_H
#define CURLEW_SQLITE_TRACE_H

/* Records the statements of every database that this process opens from now on. Returns 0, or an error of SQLite. */
int curlew_trace_begin(void);

/* Writes the statements from now on to another file, with their values, as the sqlite3 shell reads them. NULL ends that. Returns 0 if
   the file cannot be made. No statement may be running meanwhile. */
int curlew_trace_to(const char *_Nullable path);

#endif
