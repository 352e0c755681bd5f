import CurlewCore
import CurlewSecurity
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

/// A request that receives a challenge for each attempt, until it fails.
enum AnsweredChallenge {
  /// Returns the credentials that were sent, in order.
  static func answers(to challenge: String) -> [String] {
    guard let origin = URL(string: "https://fuzz.example/a?b") else { return [] }
    let sent = Mutex<[String]>([])
    let next = Next([]) { request, _ in
      if let answer = request.headerFields[.authorization] { sent.withLock { $0.append(answer) } }
      let fields: HTTPFields = [.wwwAuthenticate: challenge, .authenticationInfo: challenge]
      let isGood = sent.withLock { $0.count % 3 == 2 }
      return Response(
        head: ResponseHead(url: origin, status: isGood ? .ok : .unauthorized, headerFields: fields),
        body: ResponseBody(Data()))
    }
    var settings = ExchangeSettings()
    settings.hooks.challenge = { challenge in
      challenge.protectionSpace.scheme == "bearer"
        ? .use(.bearer(token: "t")) : .use(.password(user: "ü\"\\", password: "p"))
    }
    let exchange = Exchange(settings)
    let isOver = Mutex(false)
    Task.detached {
      let authentication = Authentication()
      for _ in 0..<2 {
        _ = try? await authentication.intercept(Request(.get, origin, body: .text("b")), in: exchange, next: next)
      }
      isOver.withLock { $0 = true }
    }
    while !isOver.withLock({ $0 }) { sched_yield() }
    return sent.withLock { $0 }
  }
}
