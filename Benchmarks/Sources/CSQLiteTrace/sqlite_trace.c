#include "sqlite_trace.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static FILE *output;

static int traced(unsigned event, void *context, void *statement, void *text) {
  (void)event;
  (void)context;
  /* The text of a trigger's statement is a comment; the statement that fired it is enough. */
  if (output == NULL || strncmp(text, "--", 2) == 0) return 0;
  char *sql = sqlite3_expanded_sql(statement);
  if (sql != NULL) fprintf(output, "%s;\n", sql);
  sqlite3_free(sql);
  return 0;
}

static int opened(sqlite3 *database, char **message, const struct sqlite3_api_routines *routines) {
  (void)message;
  (void)routines;
  return sqlite3_trace_v2(database, SQLITE_TRACE_STMT, traced, NULL);
}

int curlew_trace_begin(void) { return sqlite3_auto_extension((void (*)(void))opened); }

int curlew_trace_to(const char *path) {
  if (output != NULL) fclose(output);
  output = path == NULL ? NULL : fopen(path, "w");
  return path == NULL || output != NULL;
}
