#ifndef CURLEW_COPENSSL_VERIFYING_H
#define CURLEW_COPENSSL_VERIFYING_H
#include <openssl/x509_vfy.h>

/* What is needed to check revocation and is a macro in OpenSSL's headers. */

static inline STACK_OF(X509_CRL) *_Nullable curlew_crl_stack(void) { return sk_X509_CRL_new_null(); }

/* Does not take over its list. */
static inline int curlew_crl_push(STACK_OF(X509_CRL) *stack, X509_CRL *list) { return sk_X509_CRL_push(stack, list); }

static inline void curlew_crl_stack_free(STACK_OF(X509_CRL) *_Nullable stack) { sk_X509_CRL_free(stack); }
#endif
