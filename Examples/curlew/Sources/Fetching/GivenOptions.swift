import CurlewCore
import CurlewLoading
import HTTPTypes

/// The options of a run that advice depends on: it never advises one that was given.
struct GivenOptions: Sendable {
  /// The value of `--retry`.
  var retries = 0
  /// The request that failed; nil if it is unknown.
  var request: Request?
  /// The credentials of the run; nil for a command without any.
  var credentials: CredentialSettings?
  /// Whether the run has pins.
  var hasPins = false
  /// Whether `--insecure` turns the check of the chain off.
  var isInsecure = false

  /// What to do so that a request is repeated after a failure that may pass; nil if it would be repeated anyway.
  var adviceOnRetrying: String? {
    guard let request, !request.mayBeRepeated else { return retries == 0 ? "take --retry" : nil }
    let field = "-H 'Idempotency-Key: …', by which the server knows it again"
    return retries == 0
      ? "take --retry with \(field)" : "--retry repeats a \(request.method.rawValue) only with \(field)"
  }

  /// What to do after a 401 of the server that was asked.
  func adviceOnChallenge(_ challenges: [AuthenticationChallengeField]) -> String {
    guard let credentials, let request else { return "give --user or --bearer" }
    return credentials.advice(on: challenges, to: request)
  }
}

extension Request {
  /// Whether `--retry` repeats the request when the server may have carried it out.
  var mayBeRepeated: Bool { isIdempotent || IdempotencyKey.of(self) != nil }
}
