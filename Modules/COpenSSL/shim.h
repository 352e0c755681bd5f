#ifndef CURLEW_COPENSSL_SHIM_H
#define CURLEW_COPENSSL_SHIM_H
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

/* Functions that are macros, or defined by macros, in OpenSSL's headers, which Swift cannot call. */

static inline void curlew_ssl_forget_sessions(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
}

static inline long curlew_ssl_staple(SSL *ssl, const unsigned char *_Nullable *_Nonnull bytes) {
  return SSL_get_tlsext_status_ocsp_resp(ssl, bytes);
}

static inline STACK_OF(X509) *_Nullable curlew_x509_stack(void) { return sk_X509_new_null(); }
static inline void curlew_x509_stack_free(STACK_OF(X509) *_Nullable stack) { sk_X509_free(stack); }
static inline int curlew_x509_push(STACK_OF(X509) *stack, X509 *certificate) { return sk_X509_push(stack, certificate); }
static inline int curlew_x509_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *_Nullable curlew_x509_at(const STACK_OF(X509) *stack, int index) {
  return sk_X509_value(stack, index);
}
#endif
