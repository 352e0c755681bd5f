import CurlewCore

/// One URL to fetch.
struct Fetch: Sendable {
  /// Its place among the URLs of the run, 0….
  let index: Int
  /// The URL as it was given.
  let url: String
  let request: Request
  let destination: Destination
}

/// How a fetch ended; one reference, since every task in flight keeps one.
// Safe because only the task that fetches writes it, before it hands it on.
final class FetchResult: @unchecked Sendable {
  let fetch: Fetch
  var head: ResponseHead?
  /// How large the result is.
  var bytes: Int64 = 0
  /// SHA-256 of the result, where it was asked for.
  var digest: String?
  /// Where the result is, when it is in a file.
  var file: String?
  /// How many redirects were followed.
  var redirects = 0
  var metrics: [ExchangeMetrics] = []
  /// How many attempts were made.
  var attempts = 1
  var duration: Duration = .zero
  /// Nil when all went well.
  var failure: FetchFailure?

  init(fetch: Fetch) { self.fetch = fetch }
}
