#ifndef CURLEW_CLIBCURL_SHIM_H
#define CURLEW_CLIBCURL_SHIM_H

#if !__has_include(<curl/curl.h>)
#error "The headers of libcurl are missing. On Debian and Ubuntu: apt-get install libcurl4-openssl-dev"
#endif
#include <curl/curl.h>
#include <dlfcn.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <linux/sockios.h>
#include <sys/prctl.h>

static inline curl_version_info_data *_Nullable curlew_version_info(void) {
  return curl_version_info(CURLVERSION_NOW);
}

static inline void curlew_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* Returns the number of unread bytes of a socket, in both directions: received here, or sent and not yet read by the peer. */
static inline int curlew_waiting_bytes(int descriptor) {
  int here = 0, there = 0;
  if (ioctl(descriptor, SIOCINQ, &here) != 0) here = 0;
  if (ioctl(descriptor, SIOCOUTQ, &there) != 0) there = 0;
  return here + there;
}

/* Swift cannot call variadic functions. Each of these functions makes one such call with a fixed type. */

static inline CURLcode curlew_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curlew_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curlew_set_string(CURL *easy, CURLoption option, const char *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curlew_set_pointer(CURL *easy, CURLoption option, const void *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curlew_set_list(CURL *easy, CURLoption option, struct curl_slist *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curlew_set_blob(CURL *easy, CURLoption option, void *_Nullable bytes, size_t length) {
  if (bytes == NULL) return curl_easy_setopt(easy, option, NULL);
  struct curl_blob blob = {bytes, length, CURL_BLOB_COPY};
  return curl_easy_setopt(easy, option, &blob);
}

typedef size_t (*curlew_data_callback)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
typedef int (*curlew_prereq_callback)(
    void *_Nullable context, char *_Nullable remote, char *_Nullable local, int remote_port, int local_port);
typedef CURLcode (*curlew_ssl_callback)(CURL *_Nullable easy, void *_Nullable ssl_context, void *_Nullable context);
typedef curl_socket_t (*curlew_open_callback)(
    void *_Nullable context, curlsocktype purpose, struct curl_sockaddr *_Nullable address);
typedef int (*curlew_close_callback)(void *_Nullable context, curl_socket_t socket);

static inline CURLcode curlew_set_data_callback(CURL *easy, CURLoption option, curlew_data_callback callback) {
  return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode curlew_set_prereq_callback(CURL *easy, curlew_prereq_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode curlew_set_ssl_callback(CURL *easy, curlew_ssl_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
}

typedef int (*curlew_debug_callback)(
    CURL *_Nullable easy, curl_infotype kind, char *_Nullable bytes, size_t count, void *_Nullable context);

static inline CURLcode curlew_set_debug_callback(CURL *easy, curlew_debug_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
}

/* Makes verbose transfers log HTTP/2 frames. curl_global_trace exists since libcurl 8.3, and older headers do not declare it. */
static inline CURLcode curlew_log_frames(void) {
  CURLcode (*log)(const char *) = (CURLcode(*)(const char *))dlsym(RTLD_DEFAULT, "curl_global_trace");
  return log != NULL ? log("http/2") : CURLE_NOT_BUILT_IN;
}

static inline CURLcode curlew_set_open_callback(CURL *easy, curlew_open_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode curlew_set_close_callback(CURL *easy, curlew_close_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline CURLcode curlew_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode curlew_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

/* Returns the number of the transfer's connection, the only one of its multi handle; -1 without one. CURLINFO_CONN_ID exists since
   libcurl 8.2, and older headers do not declare it. */
static inline curl_off_t curlew_connection_number(CURL *easy) {
  curl_off_t number = -1;
  curl_easy_getinfo(easy, (CURLINFO)(CURLINFO_OFF_T + 64), &number);
  return number;
}

static inline CURLcode curlew_get_string(CURL *easy, CURLINFO info, char *_Nullable *_Nonnull value) {
  return curl_easy_getinfo(easy, info, value);
}

/* Returns the socket of a connection that was made with CURLOPT_CONNECT_ONLY; -1 without one. */
static inline curl_socket_t curlew_active_socket(CURL *easy) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK ? socket : CURL_SOCKET_BAD;
}

/* Returns the SSL object of the transfer's connection; NULL without TLS, or if it is not OpenSSL's. */
static inline void *_Nullable curlew_get_ssl(CURL *easy) {
  struct curl_tlssessioninfo *info = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || info == NULL) return NULL;
  return info->backend == CURLSSLBACKEND_OPENSSL ? info->internals : NULL;
}

typedef int (*curlew_socket_callback)(
    CURL *_Nullable easy, curl_socket_t socket, int what, void *_Nullable context, void *_Nullable socket_context);
typedef int (*curlew_timer_callback)(CURLM *_Nullable multi, long milliseconds, void *_Nullable context);

static inline CURLMcode curlew_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode curlew_multi_set_pointer(CURLM *multi, CURLMoption option, void *_Nullable value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode curlew_multi_set_socket_callback(CURLM *multi, curlew_socket_callback callback) {
  return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}

static inline CURLMcode curlew_multi_set_timer_callback(CURLM *multi, curlew_timer_callback callback) {
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
}

/* Returns the result of a finished transfer from the message's union, which Swift cannot read. */
static inline CURLcode curlew_message_result(const CURLMsg *message) { return message->data.result; }

#endif
