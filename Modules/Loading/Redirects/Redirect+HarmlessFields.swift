public import HTTPTypes

extension Redirect {
  /// Fields that describe the request, the client or the body and carry no secret.
  ///
  /// `Referer` is included because `refererPolicy` decides about it. `Host` and `Origin` are not, because they refer to
  /// the first origin (RFC 9110 §15.4).
  public static let standardHarmlessFields: Set<HTTPField.Name> = Set(
    [
      // The requested representation.
      "accept", "accept-charset", "accept-datetime", "accept-encoding", "accept-language", "accept-ranges", "a-im",
      "cache-control", "pragma", "prefer", "range", "te", "depth",
      // Conditions.
      "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
      // The body.
      "content-digest", "content-disposition", "content-encoding", "content-language", "content-length",
      "content-location", "content-md5", "content-range", "content-type", "digest", "expect", "last-modified",
      "repr-digest", "trailer", "transfer-encoding", "want-content-digest", "want-digest", "want-repr-digest",
      // The connection and the message.
      "connection", "date", "keep-alive", "max-forwards", "mime-version", "upgrade-insecure-requests", "via",
      // The client and its user's preferences, as browsers send them to every site.
      "dnt", "downlink", "ect", "priority", "purpose", "referer", "rtt", "save-data", "sec-gpc", "sec-purpose",
      "user-agent",
      // A random name of the request; a repeated request must carry the same one.
      "idempotency-key",
    ].compactMap { HTTPField.Name($0) })
}
