import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

/// The smallest interceptors that ask all the questions of a delegate, so that its contract is tested apart from the
/// rules by which redirects, challenges and caches work.
enum Asking {
  static let chain: [any Interceptor] = [Redirects(), Challenges(), Cache()]

  private static func again(_ request: Request, _ exchange: Exchange) async throws -> Request {
    guard !request.body.isReplayable else { return request }
    guard let body = try await exchange.settings.hooks.newBody?(request) else {
      throw NetworkError(.bodyNotReplayable, stage: .preparing, message: "No body.")
    }
    var request = request
    request.body = body
    return request
  }

  struct Redirects: Interceptor {
    func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
      var request = request
      if request.url.query == "canonical", let ask = exchange.settings.hooks.redirect {
        request.url = URL(string: request.url.absoluteString.replacing("?canonical", with: "")) ?? request.url
        guard let changed = try await ask(request, nil) else {
          throw NetworkError(.invalidURL, stage: .preparing, message: "Refused.")
        }
        request = changed
      }
      for hop in 0..<20 {
        let response = try await next(request, in: exchange.derived(hop: hop))
        guard response.head.status.kind == .redirection, let location = response.head.headerFields[.location],
          let url = URL(string: location, relativeTo: request.url)?.absoluteURL
        else { return response }
        var proposed = request
        proposed.url = url
        if let ask = exchange.settings.hooks.redirect {
          guard let changed = try await ask(proposed, response.head) else { return response }
          proposed = changed
        }
        await response.body.discard()
        request = try await again(proposed, exchange)
      }
      throw NetworkError(.tooManyRedirects, stage: .validating, message: "Too many.")
    }
  }

  struct Challenges: Interceptor {
    func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
      let response = try await next(request, in: exchange)
      guard response.head.status == .unauthorized, let origin = try? Origin(request.url) else { return response }
      let hooks = exchange.settings.hooks
      let space = ProtectionSpace(origin: origin, scheme: "basic", realm: request.url.path)
      guard await hooks.canAnswer?(space) ?? true else { return response }
      _ = await hooks.mayUseStoredCredentials?(space)
      switch await hooks.challenge?(Challenge(protectionSpace: space, response: response.head)) ?? .defaultHandling {
      case .defaultHandling, .reject: return response
      case .cancel(let error): throw error
      case .use:
        await response.body.discard()
        var request = try await again(request, exchange)
        request.headerFields[.authorization] = "Basic eDp5"
        return try await next(request, in: exchange)
      }
    }
  }

  struct Cache: Interceptor {
    func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
      var response = try await next(request, in: exchange)
      guard response.head.status == .ok, request.method == .get else { return response }
      let head = response.head
      response.body = response.body.tapped(by: AskingTap(head, exchange.settings.hooks.storeInCache))
      return response
    }
  }

  /// Asks at the end.
  private final class AskingTap: BodyTap {
    let head: ResponseHead
    let ask: (@Sendable (ResponseHead) async -> CacheAnswer)?

    init(_ head: ResponseHead, _ ask: (@Sendable (ResponseHead) async -> CacheAnswer)?) {
      self.head = head
      self.ask = ask
    }

    func ended(by error: (any Error)?) async {
      if error == nil { _ = await ask?(head) }
    }
  }
}

/// Ends a request as cancelled once a gate is open.
struct Withdrawing: Interceptor {
  let gate: ManualGate

  func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    try await withThrowingTaskGroup(of: Response.self) { group in
      group.addTask { try await next(request, in: exchange) }
      group.addTask { [gate] in
        try await gate.wait()
        throw CancellationError()
      }
      guard let response = try await group.next() else { throw CancellationError() }
      group.cancelAll()
      return response
    }
  }
}
