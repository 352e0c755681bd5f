#ifndef CURLEW_COPENSSL_RESUMING_H
#define CURLEW_COPENSSL_RESUMING_H
#include <openssl/ssl.h>

/* TLS sessions that a client keeps by itself. OpenSSL's functions for them are macros in part, which Swift cannot call. */

/* Makes a context's connections give new sessions to `callback`, which returns 1 if it keeps the reference. OpenSSL itself keeps
   none. Tickets of TLS 1.2 are accepted, which libcurl switches off. */
static inline void curlew_ssl_give_sessions(SSL_CTX *context, int (*callback)(SSL *_Nullable, SSL_SESSION *_Nullable)) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, callback);
  SSL_CTX_clear_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
}

/* Returns a copy of a session that a connection may resume; NULL if none of its kind may be resumed, or it is too large.

   - Before TLS 1.3, only a session with the extended master secret (RFC 7627 section 5.3) is safe to resume.
   - The copy allows no early data, which a third party could repeat (RFC 8446 section 8).
   - The connection of the original marks its session as not resumable when it ends without a closing alert.

   `most` limits the bytes of the ticket and of the certificates, which the server chooses. */
static inline SSL_SESSION *_Nullable curlew_session_copy(SSL *ssl, SSL_SESSION *session, size_t most) {
  int version = SSL_SESSION_get_protocol_version(session);
  if (version < TLS1_2_VERSION || (version == TLS1_2_VERSION && SSL_get_extms_support(ssl) != 1)) return NULL;
  /* A TLS 1.3 ticket with the lifetime 0 is to be discarded at once (RFC 8446 section 4.6.1). */
  if (version >= TLS1_3_VERSION && SSL_SESSION_get_ticket_lifetime_hint(session) == 0) return NULL;
  if (SSL_SESSION_get0_peer(session) == NULL || SSL_SESSION_is_resumable(session) != 1) return NULL;
  const unsigned char *ticket = NULL;
  size_t total = 0;
  SSL_SESSION_get0_ticket(session, &ticket, &total);
  STACK_OF(X509) *chain = SSL_get_peer_cert_chain(ssl);
  if (chain == NULL || sk_X509_num(chain) < 1) return NULL;
  for (int index = 0; index < sk_X509_num(chain); index++) {
    int length = i2d_X509(sk_X509_value(chain, index), NULL);
    if (length <= 0) return NULL;
    total += (size_t)length;
    if (total > most) return NULL;
  }
  SSL_SESSION *copy = SSL_SESSION_dup(session);
  if (copy != NULL && SSL_SESSION_set_max_early_data(copy, 0) != 1) {
    SSL_SESSION_free(copy);
    return NULL;
  }
  return copy;
}

/* Returns for how many seconds the server promises to know a session; 0 if it does not say. */
static inline unsigned long curlew_session_lifetime(const SSL_SESSION *session) {
  return SSL_SESSION_has_ticket(session) ? SSL_SESSION_get_ticket_lifetime_hint(session) : 0;
}
#endif
