#ifndef CURLEW_COPENSSL_ISSUING_H
#define CURLEW_COPENSSL_ISSUING_H
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/pkcs12.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* Functions for creating certificates that are macros or variadic in OpenSSL's headers, which Swift cannot call. */

static inline EVP_PKEY *curlew_generate_ec(const char *curve) { return EVP_EC_gen(curve); }

static inline EVP_PKEY *curlew_generate_rsa(unsigned int bits) { return EVP_RSA_gen(bits); }

static inline EVP_PKEY *curlew_generate_ed25519(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"); }

/* Creates an extension from OpenSSL's configuration syntax; NULL if the text is not valid. */
static inline X509_EXTENSION *_Nullable curlew_extension(
    X509 *_Nullable issuer, X509 *_Nullable subject, int nid, const char *_Nonnull value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, subject, NULL, NULL, 0);
  X509V3_set_ctx_nodb(&context);
  return X509V3_EXT_conf_nid(NULL, &context, nid, value);
}

/* Names the issuer of the certificate in an entry of an indirect revocation list. */
static inline void curlew_revoked_issuer(X509_REVOKED *entry, const X509_NAME *issuer) {
  GENERAL_NAMES *names = GENERAL_NAMES_new();
  GENERAL_NAME *name = GENERAL_NAME_new();
  GENERAL_NAME_set0_value(name, GEN_DIRNAME, X509_NAME_dup(issuer));
  sk_GENERAL_NAME_push(names, name);
  X509_REVOKED_add1_ext_i2d(entry, NID_certificate_issuer, names, 1, 0);
  GENERAL_NAMES_free(names);
}

/* Marks a revocation list as a delta: it contains only the changes since the list with a number. */
static inline void curlew_delta_list(X509_CRL *list, long base) {
  ASN1_INTEGER *number = ASN1_INTEGER_new();
  ASN1_INTEGER_set(number, base);
  X509_CRL_add1_ext_i2d(list, NID_delta_crl, number, 1, 0);
  ASN1_INTEGER_free(number);
}

static inline STACK_OF(X509) *curlew_certificates(void) { return sk_X509_new_null(); }

/* Appends a certificate, which the stack then owns. */
static inline void curlew_certificates_push(STACK_OF(X509) *stack, X509 *certificate) {
  sk_X509_push(stack, certificate);
}

static inline void curlew_certificates_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

/* Returns the bytes in a memory BIO, and their number. */
static inline long curlew_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

static inline void curlew_memory_reset(BIO *bio) { BIO_reset(bio); }
#endif
