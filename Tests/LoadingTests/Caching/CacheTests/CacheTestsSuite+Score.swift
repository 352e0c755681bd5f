extension CacheTestsSuite {
  /// What passes, of the cases for private caches, and why what does not does not.
  ///
  /// "required" is by RFC 9111, "optimal" is what a cache could do, and "check" only asks what it does.
  static let score = """
    required: 65 of 65
    optimal: 36 of 38
      no: partial-store-partial-reuse-partial-absent: response 2 does not come from the cache
      no: partial-store-partial-complete: request 2 has range: nothing
    check: 30 of 46
      no: freshness-max-age-two-stale-fresh-sameline: response 2 does not come from the cache
      no: freshness-max-age-two-stale-fresh-sepline: response 2 does not come from the cache
      no: freshness-max-age-decimal-zero: response 2 does not come from the cache
      no: freshness-max-age-decimal-five: response 2 does not come from the cache
      no: freshness-max-age-100a: response 2 does not come from the cache
      no: age-parse-parameter: response 2 comes from the cache
      no: stale-close: The origin went away. (connection-lost)
      no: pragma-request-no-cache: response 2 does not come from the cache
      no: conditional-etag-vary-headers-mismatch: request 2 has If-None-Match: nothing
      no: conditional-etag-strong-generate-unquoted: request 2 has If-None-Match: abcdef
      no: conditional-etag-forward-unquoted: request 1 has If-None-Match: abcdef
      no: 304-etag-update-response-Content-Encoding: response 2 has Content-Encoding: arizqhypgxofwne
      not set up: 304-etag-update-response-ETag: a request was sent twice
      no: head-200-retain: response 2 has Template-A: nothing
      not set up: head-410-update: response 3 does not come from the cache
      no: other-age-delay: response 1 has age: nothing

    """
}
