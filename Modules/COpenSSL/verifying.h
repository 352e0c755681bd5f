#ifndef CURLEW_COPENSSL_VERIFYING_H
#define CURLEW_COPENSSL_VERIFYING_H
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

/* The verification of TLS servers' certificates. It is in C and shared, because the two modules that verify (CurlTransport and
   Security) do not import each other. */

/* Returns the system's trust anchors, from the first bundle that exists at one of the distributions' paths; NULL without any. */
static inline X509_STORE *_Nullable curlew_system_anchors(void) {
  static const char *const bundles[] = {
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
      "/etc/ssl/cert.pem"};
  X509_STORE *store = X509_STORE_new();
  if (store == NULL) return NULL;
  for (size_t index = 0; index < sizeof bundles / sizeof bundles[0]; index++) {
    int loaded = X509_STORE_load_file(store, bundles[index]);
    ERR_clear_error();
    if (loaded == 1) return store;
  }
  X509_STORE_free(store);
  return NULL;
}

/* Sets purpose, strength, date and flags. Security level 2 requires 112 bits: RSA with at least 2048 bits, and no SHA-1. */
static inline void curlew_server_rules(X509_VERIFY_PARAM *rules, time_t date, unsigned long flags) {
  X509_VERIFY_PARAM_set_purpose(rules, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set_auth_level(rules, 2);
  X509_VERIFY_PARAM_set_time(rules, date);
  X509_VERIFY_PARAM_set_flags(rules, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST | flags);
}

/* RFC 9525: only names and addresses of the subjectAltName count, and a wildcard must be a whole label. */
#define CURLEW_HOST_FLAGS (X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
#define CURLEW_HOST_ROOM 256

/* Copies a host in the form that certificates use: an IPv6 address without brackets, a name without the final dot. Returns 0 if
   the host is empty, too long or contains a zero: an empty name would disable OpenSSL's check. */
static inline int curlew_plain_host(const char *host, size_t length, char *plain) {
  if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
    host++;
    length -= 2;
  } else if (length > 0 && host[length - 1] == '.') {
    length--;
  }
  if (length == 0 || length >= CURLEW_HOST_ROOM || memchr(host, 0, length) != NULL) return 0;
  memcpy(plain, host, length);
  plain[length] = 0;
  return 1;
}

/* Makes the verifier check that the leaf matches a host. Returns 0 if the host is not valid. */
static inline int curlew_require_host(X509_VERIFY_PARAM *rules, const char *host, size_t length) {
  char plain[CURLEW_HOST_ROOM];
  X509_VERIFY_PARAM_set_hostflags(rules, CURLEW_HOST_FLAGS);
  if (!curlew_plain_host(host, length, plain)) return 0;
  int set = X509_VERIFY_PARAM_set1_ip_asc(rules, plain) == 1 || X509_VERIFY_PARAM_set1_host(rules, plain, 0) == 1;
  ERR_clear_error();
  return set;
}

/* Returns whether a leaf matches a host, without building a chain. An address does not match a DNS name. */
static inline int curlew_matches_host(X509 *leaf, const char *host, size_t length) {
  char plain[CURLEW_HOST_ROOM];
  if (!curlew_plain_host(host, length, plain)) return 0;
  int match = X509_check_ip_asc(leaf, plain, 0);
  if (match == -2) match = X509_check_host(leaf, plain, 0, CURLEW_HOST_FLAGS, NULL);
  ERR_clear_error();
  return match == 1;
}

/* Returns the raw value of the `ServerTrustError.Reason` for an error of OpenSSL's verifier. */
static inline const char *curlew_refusal_reason(int code) {
  switch (code) {
    case X509_V_ERR_CERT_HAS_EXPIRED: return "expired";
    case X509_V_ERR_CERT_NOT_YET_VALID: return "not-yet-valid";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
    case X509_V_ERR_EMAIL_MISMATCH: return "host-mismatch";
    case X509_V_ERR_CERT_REVOKED: return "revoked";
    case X509_V_ERR_UNABLE_TO_GET_CRL:
    case X509_V_ERR_CRL_HAS_EXPIRED:
    case X509_V_ERR_CRL_NOT_YET_VALID:
    case X509_V_ERR_CRL_SIGNATURE_FAILURE:
    case X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER:
    case X509_V_ERR_KEYUSAGE_NO_CRL_SIGN:
    case X509_V_ERR_UNHANDLED_CRITICAL_CRL_EXTENSION:
    case X509_V_ERR_DIFFERENT_CRL_SCOPE:
    case X509_V_ERR_CRL_PATH_VALIDATION_ERROR: return "revocation-unknown";
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL:
    case X509_V_ERR_CA_MD_TOO_WEAK: return "weak";
    case X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE:
    case X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY:
    case X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD:
    case X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD:
    case X509_V_ERR_UNSPECIFIED:
    case X509_V_ERR_OUT_OF_MEM: return "malformed";
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_CERT_UNTRUSTED:
    case X509_V_ERR_CERT_REJECTED:
    case X509_V_ERR_CERT_CHAIN_TOO_LONG:
    case X509_V_ERR_SUBJECT_ISSUER_MISMATCH:
    case X509_V_ERR_AKID_SKID_MISMATCH:
    case X509_V_ERR_AKID_ISSUER_SERIAL_MISMATCH: return "untrusted";
    /* All other errors are about the use of a certificate or its required contents. */
    default: return "constraint";
  }
}

/* Revocation lists. */

static inline STACK_OF(X509_CRL) *_Nullable curlew_crl_stack(void) { return sk_X509_CRL_new_null(); }

/* Appends a list, which the stack does not own. */
static inline int curlew_crl_push(STACK_OF(X509_CRL) *stack, X509_CRL *list) { return sk_X509_CRL_push(stack, list); }

static inline void curlew_crl_stack_free(STACK_OF(X509_CRL) *_Nullable stack) { sk_X509_CRL_free(stack); }

/* Returns whether a list is partial: a delta, indirect, only for some reasons or attribute certificates, or of unclear scope.
   OpenSSL skips such lists when it looks for the list of a certificate, but takes a delta for a full list. */
static inline int curlew_crl_is_partial(X509_CRL *list) {
  if (X509_CRL_get_ext_by_NID(list, NID_delta_crl, -1) >= 0) return 1;
  int critical = -1;
  ISSUING_DIST_POINT *point = X509_CRL_get_ext_d2i(list, NID_issuing_distribution_point, &critical, NULL);
  ERR_clear_error();
  if (point == NULL) return critical != -1;
  int partial = point->indirectCRL > 0 || point->onlyattr > 0 || point->onlysomereasons != NULL;
  ISSUING_DIST_POINT_free(point);
  return partial;
}

/* By how much the clock of a list's issuer may differ from ours, and how long a list without an end counts, in seconds. */
#define CURLEW_LIST_SKEW 300
#define CURLEW_LIST_LIFETIME_WITHOUT_END (24 * 3600)

/* Whether a list is within its dates at a time, as far as clocks agree. */
static inline int curlew_crl_is_current(const X509_CRL *list, time_t date) {
  time_t latest = date + CURLEW_LIST_SKEW, earliest = date - CURLEW_LIST_SKEW;
  const ASN1_TIME *begin = X509_CRL_get0_lastUpdate(list), *end = X509_CRL_get0_nextUpdate(list);
  if (X509_cmp_time(begin, &latest) >= 0) return 0;
  if (end != NULL) return X509_cmp_time(end, &earliest) > 0;
  earliest -= CURLEW_LIST_LIFETIME_WITHOUT_END;
  return X509_cmp_time(begin, &earliest) > 0;
}

/* Whether the certificate that is being verified is an anchor whose issuer is not known. Nothing can check its issuer's lists. */
static inline int curlew_is_foreign_anchor(X509_STORE_CTX *context, X509 *certificate) {
  STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(context);
  return X509_STORE_CTX_get_error_depth(context) == sk_X509_num(chain) - 1 && X509_check_issued(certificate, certificate) != X509_V_OK;
}

/* The verifier's callback for errors about lists. A certificate passes if no list concerns it, and is rejected if there is an unusable
   list of its issuer, or a list that names it. An anchor whose issuer is not known passes unless a list names it. */
static inline int curlew_judge_lists(int good, X509_STORE_CTX *context) {
  if (good) return good;
  X509 *certificate = X509_STORE_CTX_get_current_cert(context);
  STACK_OF(X509_CRL) *lists = X509_STORE_CTX_get_app_data(context);
  if (lists == NULL || certificate == NULL) return 0;
  int isForeign = curlew_is_foreign_anchor(context, certificate);
  switch (X509_STORE_CTX_get_error(context)) {
    case X509_V_ERR_CRL_NOT_YET_VALID:
    case X509_V_ERR_CRL_HAS_EXPIRED: {
      X509_CRL *list = X509_STORE_CTX_get0_current_crl(context);
      time_t date = X509_VERIFY_PARAM_get_time(X509_STORE_CTX_get0_param(context));
      if (list != NULL && curlew_crl_is_current(list, date)) break;
      if (!isForeign) return 0;
      break;
    }
    case X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER:
    case X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY:
    case X509_V_ERR_UNABLE_TO_DECRYPT_CRL_SIGNATURE:
    case X509_V_ERR_CRL_SIGNATURE_FAILURE:
    case X509_V_ERR_CRL_PATH_VALIDATION_ERROR:
    case X509_V_ERR_KEYUSAGE_NO_CRL_SIGN:
    case X509_V_ERR_DIFFERENT_CRL_SCOPE:
      if (!isForeign) return 0;
      break;
    case X509_V_ERR_UNABLE_TO_GET_CRL:
      for (int index = 0; !isForeign && index < sk_X509_CRL_num(lists); index++) {
        if (X509_NAME_cmp(X509_CRL_get_issuer(sk_X509_CRL_value(lists, index)), X509_get_issuer_name(certificate)) == 0) return 0;
      }
      break;
    default: return 0;
  }
  for (int index = 0; index < sk_X509_CRL_num(lists); index++) {
    if (X509_CRL_get0_by_cert(sk_X509_CRL_value(lists, index), NULL, certificate) == 1) return 0;
  }
  X509_STORE_CTX_set_error(context, X509_V_OK);
  return 1;
}

/* Makes the verifier use the full lists, and the callback above all lists. Both stacks must live as long as the context. */
static inline void curlew_use_lists(X509_STORE_CTX *context, STACK_OF(X509_CRL) *full, STACK_OF(X509_CRL) *all) {
  X509_STORE_CTX_set0_crls(context, full);
  X509_STORE_CTX_set_app_data(context, all);
  X509_STORE_CTX_set_verify_cb(context, curlew_judge_lists);
}

/* Requests a stapled OCSP response, and calls `callback` when it has arrived or will not arrive. OpenSSL calls it after it has
   verified the certificate and before the handshake ends; the result 0 ends the handshake with an error. */
static inline void curlew_ssl_ask_for_staple(SSL_CTX *context, int (*callback)(SSL *_Nullable, void *_Nullable)) {
  SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp);
  SSL_CTX_set_tlsext_status_cb(context, callback);
}

/* The names of a certificate. */

static inline int curlew_print_name(BIO *bio, const X509_NAME *name) {
  return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253) >= 0;
}

static inline GENERAL_NAMES *_Nullable curlew_alternative_names(const X509 *certificate) {
  return X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}

static inline int curlew_names_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }

static inline GENERAL_NAME *_Nullable curlew_name_at(const GENERAL_NAMES *names, int index) {
  return sk_GENERAL_NAME_value(names, index);
}
#endif
