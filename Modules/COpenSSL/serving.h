#ifndef CURLEW_COPENSSL_SERVING_H
#define CURLEW_COPENSSL_SERVING_H
#include <openssl/ssl.h>
#include <string.h>

/* Functions for TLS servers that are macros in OpenSSL's headers, which Swift cannot call. */

static inline int curlew_server_versions(SSL_CTX *context, int least, int most) {
  return SSL_CTX_set_min_proto_version(context, least) && SSL_CTX_set_max_proto_version(context, most);
}

static inline int curlew_server_chain_add(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline void curlew_server_modes(SSL_CTX *context) { SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS); }

static inline void curlew_server_no_resumption(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
}

static inline void curlew_server_on_status(SSL_CTX *context, int (*callback)(SSL *, void *), void *argument) {
  SSL_CTX_set_tlsext_status_cb(context, callback);
  SSL_CTX_set_tlsext_status_arg(context, argument);
}

/* Staples a copy of an OCSP response. */
static inline int curlew_server_staple(SSL *ssl, const unsigned char *bytes, size_t length) {
  unsigned char *copy = OPENSSL_malloc(length);
  if (copy == NULL) return 0;
  memcpy(copy, bytes, length);
  return (int)SSL_set_tlsext_status_ocsp_resp(ssl, copy, (long)length);
}
#endif
