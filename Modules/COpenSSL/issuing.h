#ifndef CURLEW_COPENSSL_ISSUING_H
#define CURLEW_COPENSSL_ISSUING_H
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/pkcs12.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* What is needed to make certificates and is a macro or variadic in OpenSSL's headers. */

static inline EVP_PKEY *curlew_generate_ec(const char *curve) { return EVP_EC_gen(curve); }

static inline EVP_PKEY *curlew_generate_rsa(unsigned int bits) { return EVP_RSA_gen(bits); }

static inline EVP_PKEY *curlew_generate_ed25519(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }

/* An extension out of OpenSSL's configuration syntax; NULL when it is not understood. */
static inline X509_EXTENSION *curlew_extension(X509 *issuer, X509 *subject, int nid, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, subject, NULL, NULL, 0);
  X509V3_set_ctx_nodb(&context);
  return X509V3_EXT_conf_nid(NULL, &context, nid, value);
}

static inline STACK_OF(X509) *curlew_certificates(void) { return sk_X509_new_null(); }

/* Takes over its certificate. */
static inline void curlew_certificates_push(STACK_OF(X509) *stack, X509 *certificate) {
  sk_X509_push(stack, certificate);
}

static inline void curlew_certificates_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

/* The bytes a memory BIO holds. */
static inline long curlew_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

static inline void curlew_memory_reset(BIO *bio) { BIO_reset(bio); }
#endif
