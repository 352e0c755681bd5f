import CurlewCore
import FoundationEssentials
import HTTPTypes

/// The redirects of one attempt.
struct RedirectWalk {
  private let redirect: Redirect
  private let limit: Int
  private let started: ContinuousClock.Instant?

  init(_ redirect: Redirect, limit: Int, started: ContinuousClock.Instant?) {
    self.redirect = redirect
    self.limit = limit
    self.started = started
  }

  /// Follows redirects until the response is not one or must not be followed.
  func follow(
    from first: Request, in exchange: Exchange, _ response: Response, _ next: Next
  ) async throws -> Response {
    guard limit > 0 else { return response }
    var (request, exchange, response) = (first, exchange, response)
    var step = RedirectStep(redirect, first)
    var visits = RedirectVisits(first)
    var isAnother = false
    for count in 1... {
      let head = response.head
      request.url = head.url(asSent: request.url)
      guard let plan = try step.plan(request, head, in: exchange) else { return response }
      guard count <= limit else { throw RedirectRefusal.limit(limit).error(request, head) }
      guard let target = try await answer(plan, head, in: exchange) else { return response }
      if redirect.detectsLoops, let circle = visits.insert(target, after: head) {
        throw RedirectRefusal.circle(circle).error(request, head)
      }
      isAnother = isAnother || target.method != request.method
      let following = try within(first.options.timeouts.total, target, after: request, exchange.settings.clock)
      exchange.emit(.redirecting(to: following, response: head))
      await response.discard(
        upTo: redirect.discardedBytes, within: redirect.discardTime, on: exchange.settings.clock)
      try Task.checkCancellation()
      exchange = step.exchange(after: request, following, in: exchange)
      request = following
      do {
        response = try await next(request, in: exchange)
      } catch let error as NetworkError where isAnother && !error.maybeProcessed {
        // The redirecting server has received the request, so it may have processed it.
        throw error.with { $0.maybeProcessed = true }
      }
    }
    return response
  }

  /// Returns the app's answer to a redirect, with a body that can be sent; nil stops.
  private func answer(_ plan: RedirectStep.Plan, _ head: ResponseHead, in exchange: Exchange) async throws -> Request? {
    var target = plan.request
    if let hook = exchange.settings.hooks.redirect {
      guard let answer = try await hook(plan.request, head) else { return nil }
      target = try plan.narrowed(answer, head)
    }
    guard !target.body.isReplayable else { return target }
    guard let body = try await exchange.settings.hooks.newBody?(target) else {
      throw RedirectRefusal.body.error(plan.request, head)
    }
    target.body = body
    return target
  }

  /// Returns the request with the time that remains for all hops of an attempt.
  private func within(
    _ total: Duration?, _ request: Request, after last: Request, _ clock: any NetworkClock
  ) throws(NetworkError) -> Request {
    // A total timeout that the app set for this hop takes precedence.
    guard let started, let total, request.options.timeouts.total == last.options.timeouts.total else { return request }
    let left = total.limited - started.duration(to: clock.now)
    guard left > .zero else {
      throw NetworkError(
        .timedOut, stage: .awaitingHead, message: "The redirects took longer than the attempt's total timeout."
      )
      .with { $0.maybeProcessed = true }
    }
    var request = request
    request.options.timeouts.total = left
    return request
  }
}

/// The URLs that an attempt has visited.
struct RedirectVisits {
  private var seen: [String: Int] = [:]
  private var urls: [URL] = []

  init(_ request: Request) { _ = insert(request) }

  /// Records where a response leads; returns the URLs of the circle if the request has been there.
  mutating func insert(_ request: Request, after head: ResponseHead) -> [URL]? {
    if head.headerFields.contains(where: { $0.name == .setCookie }) { (seen, urls) = ([:], []) }
    return insert(request)
  }

  private mutating func insert(_ request: Request) -> [URL]? {
    defer { urls.append(request.url) }
    let first = seen.updateValue(urls.count, forKey: Self.key(request))
    return first.map { urls[$0...] + [request.url] }
  }

  private static func key(_ request: Request) -> String {
    "\(request.method.rawValue) \(request.url.absoluteString.prefix { $0 != "#" })"
  }
}
