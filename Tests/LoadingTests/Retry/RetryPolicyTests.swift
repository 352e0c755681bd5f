import CurlewCore
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewLoading

/// The decisions alone, without a transfer.
@Suite(.timeLimit(.minutes(10))) struct RetryPolicyTests {
  static let now = ContinuousClock.now
  static let date = HTTPDate(secondsSince1970: 1_700_000_000)

  static func attempt(
    _ status: Int? = nil, _ error: (any Error)? = nil, method: HTTPRequest.Method = .get, retries: Int = 0,
    fields: HTTPFields = [:], maybeProcessed: Bool = true
  ) -> TransferAttempt {
    let request = Fixture.request(method)
    var attempt = TransferAttempt(
      number: 1, reason: .first, began: now, transferBegan: now, request: request, error: error)
    attempt.retries = retries
    attempt.maybeProcessed = maybeProcessed
    if let status {
      attempt.response = ResponseHead(url: request.url, status: .init(code: status), headerFields: fields)
    }
    return attempt
  }

  static func decide(
    _ policy: RetryPolicy, _ attempt: TransferAttempt, after elapsed: Duration = .zero, deadline: Duration? = nil,
    isRepeatable: Bool = true, answer: RetryDecision = .byPolicy
  ) -> RetryVerdict {
    let situation = RetrySituation(
      attempt: attempt, now: now + elapsed, date: date, deadline: deadline.map { now + $0 },
      isRepeatable: isRepeatable)
    return policy.verdict(answer, policy.proposal(in: situation), in: situation)
  }

  private static let plain = RetryPolicy(limit: 2, delay: .fixed(.seconds(1)))
  private static let again = RetryVerdict.retry(after: .seconds(1))

  @Test(arguments: 100...599)
  func `408, 429 and 5xx but 501, 505 and 511 pass by themselves, nothing else does`(status: Int) {
    let expected = [408, 429].contains(status) || status >= 500 && ![501, 505, 511].contains(status)
    #expect(Self.decide(Self.plain, Self.attempt(status)) == (expected ? Self.again : .finish))
    let refused = NetworkError(.unacceptableStatus, stage: .validating, message: "")
    #expect(Self.decide(Self.plain, Self.attempt(status, refused)) == (expected ? Self.again : .finish))
    var picky = Self.plain
    picky.conditions.statuses = [status]
    #expect(Self.decide(picky, Self.attempt(status)) == Self.again)
  }

  struct Foreign: Error {}

  @Test func `errors that may pass are tried again, those of the request, of trust and cancellation are not`() {
    func verdict(_ kind: NetworkError.Kind) -> RetryVerdict {
      Self.decide(Self.plain, Self.attempt(nil, Fixture.lost(kind)))
    }
    for kind in RetryConditions.temporaryKinds { #expect(verdict(kind) == Self.again, "\(kind)") }
    for kind: NetworkError.Kind in [
      .invalidURL, .invalidRequest, .unsupported, .serverTrustRefused, .handshakeFailed, .clientIdentityFailed,
      .networkNotAllowed, .transportShutDown, .bodyNotReplayable, .bodyTooLarge, .tooManyRedirects, .notInCache,
      .unacceptableContentType, .authenticationFailed, .sinkFailed, .fileError,
    ] { #expect(verdict(kind) == .finish, "\(kind)") }
    #expect(Self.decide(Self.plain, Self.attempt(200, Foreign())) == Self.again)
    var strict = Self.plain
    strict.conditions.includesOtherErrors = false
    #expect(Self.decide(strict, Self.attempt(200, Foreign())) == .finish)
    #expect(
      Self.decide(.urlSessionManager(retryCount: 9, retryInterval: .zero), Self.attempt(nil, CancellationError()))
        == .finish)
  }

  @Test func `a cut body counts although the status was good, and a value that cannot be decoded does not`() {
    let cut = Self.attempt(200, Fixture.lost(.truncatedBody))
    #expect(Self.decide(Self.plain, cut) == Self.again)
    let broken = Self.attempt(200, Fixture.lost(.serializationFailed))
    #expect(Self.decide(Self.plain, broken) == .finish, "the same answer would come again")
    var wide = Self.plain
    wide.conditions = .anyFailure
    #expect(Self.decide(wide, broken) == Self.again)
  }

  @Test func `what is not idempotent is repeated only with a key or when the server saw nothing`() {
    let lost = Fixture.lost()
    #expect(Self.decide(Self.plain, Self.attempt(nil, lost, method: .post)) == .finish)
    #expect(Self.decide(Self.plain, Self.attempt(503, method: .post)) == .finish)
    #expect(Self.decide(Self.plain, Self.attempt(503, method: .post), answer: .again) == .finish)
    #expect(Self.decide(Self.plain, Self.attempt(nil, lost, method: .post, maybeProcessed: false)) == Self.again)
    for method: HTTPRequest.Method in [.get, .head, .put, .delete, .options] {
      #expect(Self.decide(Self.plain, Self.attempt(nil, lost, method: method)) == Self.again)
    }
    var keyed = Self.attempt(nil, lost, method: .post)
    IdempotencyKey.set("\"k\"", in: &keyed.request!)
    #expect(Self.decide(Self.plain, keyed) == Self.again)
    var declared = Self.attempt(nil, lost, method: .post)
    declared.request?.options.isIdempotent = true
    #expect(Self.decide(Self.plain, declared) == Self.again)
    var bold = Self.plain
    bold.repeatsUnsafe = true
    #expect(Self.decide(bold, Self.attempt(nil, lost, method: .post)) == Self.again)
  }

  @Test func `limit, budget, deadline and a body that is gone bind the app as well`() {
    let failed = Self.attempt(503)
    for answer: RetryDecision in [.byPolicy, .again, .retry(after: .seconds(1))] {
      #expect(Self.decide(Self.plain, failed, answer: answer) == Self.again)
      #expect(Self.decide(Self.plain, Self.attempt(503, retries: 2), answer: answer) == .finish)
      #expect(Self.decide(Self.plain, failed, isRepeatable: false, answer: answer) == .finish)
      #expect(Self.decide(Self.plain, failed, deadline: .seconds(1), answer: answer) == .finish)
      #expect(Self.decide(Self.plain, failed, deadline: .milliseconds(1_001), answer: answer) == Self.again)
      var timed = Self.plain
      timed.budget = .seconds(5)
      #expect(Self.decide(timed, failed, after: .seconds(4), answer: answer) == .finish)
      #expect(Self.decide(timed, failed, after: .milliseconds(3_999), answer: answer) == Self.again)
      timed.budgetCountsWait = false
      #expect(Self.decide(timed, failed, after: .milliseconds(4_999), answer: answer) == Self.again)
      #expect(Self.decide(timed, failed, after: .seconds(5), answer: answer) == .finish)
    }
    #expect(Self.decide(Self.plain, failed, answer: .finish) == .finish)
    #expect(Self.decide(Self.plain, Self.attempt(200), answer: .again) == Self.again)
  }

  @Test func `a policy of any number never stops by itself`() {
    var endless = Self.plain
    endless.limit = nil
    #expect(Self.decide(endless, Self.attempt(503, retries: Int.max - 1)) == Self.again)
    endless.limit = -1
    #expect(Self.decide(endless, Self.attempt(503)) == .finish)
  }

  @Test func `Retry-After in seconds or as a date makes the wait longer, never shorter`() {
    func wait(_ value: String, delay: Duration = .seconds(1), limit: Duration? = .seconds(300)) -> RetryVerdict {
      var policy = RetryPolicy(limit: 2, delay: .fixed(delay))
      policy.retryAfterLimit = limit
      return Self.decide(policy, Self.attempt(503, fields: [.retryAfter: value]))
    }
    #expect(wait("120") == .retry(after: .seconds(120)))
    #expect(wait("120", delay: .seconds(200)) == .retry(after: .seconds(200)))
    #expect(wait("0") == .retry(after: .seconds(1)))
    #expect(wait("301") == .finish)
    #expect(wait("99999999999999999999") == .finish)
    #expect(wait("120", limit: nil) == .retry(after: .seconds(1)))
    for unreadable in ["soon", "-1", "1.5", "", "120, 120"] {
      #expect(wait(unreadable) == .retry(after: .seconds(1)), "\(unreadable)")
    }
    func date(_ offset: Int64) -> String {
      HTTPDate(secondsSince1970: Self.date.secondsSince1970 + offset).description
    }
    #expect(wait(date(45)) == .retry(after: .seconds(45)))
    #expect(wait(date(-45)) == .retry(after: .seconds(1)))
    #expect(wait(date(301)) == .finish)
  }

  @Test func `the app may wait longer than the policy would`() {
    let asked = Self.attempt(503, fields: [.retryAfter: "600"])
    #expect(Self.decide(Self.plain, asked) == .finish)
    #expect(Self.decide(Self.plain, asked, answer: .again) == .retry(after: .seconds(600)))
    #expect(Self.decide(Self.plain, asked, answer: .retry(after: .seconds(7))) == .retry(after: .seconds(7)))
  }
}
