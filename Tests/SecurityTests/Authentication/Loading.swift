import CurlewCore
import CurlewLoading
import CurlewSecurity
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Synchronization

/// What the app is asked in a test, and what it answers.
struct App: Sendable {
  /// Counts of the questions that were asked.
  final class Asked: Sendable {
    private let list = Guarded<[Challenge]>([])
    var challenges: [Challenge] { list.withLock { $0 } }
    func append(_ challenge: Challenge) { list.withLock { $0.append(challenge) } }
  }

  var settings = ExchangeSettings()
  let asked = Asked()

  init(_ answer: (@Sendable (Challenge) async -> ChallengeAnswer)? = nil) {
    guard let answer else { return }
    settings.hooks.challenge = { [asked] challenge in
      asked.append(challenge)
      return await answer(challenge)
    }
  }

  /// Answers each first question with this, and no second one.
  init(user: String, password: String) {
    self.init { challenge in
      challenge.previousFailureCount == 0 ? .use(.password(user: user, password: password)) : .defaultHandling
    }
  }

  /// Loads one request; gives the status and the body.
  @discardableResult
  func load(_ request: Request, _ loader: Loader) async throws -> (status: Int, text: String) {
    let (data, head) = try await loader.data(for: request, upTo: 1 << 20, in: Exchange(settings))
    return (head.status.code, String(decoding: data, as: UTF8.self))
  }

  @discardableResult
  func load(_ url: String, _ loader: Loader) async throws -> (status: Int, text: String) {
    try await load(Request(.get, url), loader)
  }
}

extension StubAnswer {
  /// A 401, or 407, with these challenges, one a field line.
  static func challenge(_ challenges: String..., status: HTTPResponse.Status = .unauthorized) -> StubAnswer {
    var answer = StubAnswer.text("who?", status: status)
    for challenge in challenges {
      let name: HTTPField.Name = status == .unauthorized ? .wwwAuthenticate : .proxyAuthenticate
      answer.headerFields.append(HTTPField(name: name, value: challenge))
    }
    return answer
  }
}

extension Data {
  /// `user:password` as Basic sends it.
  static func basic(_ pair: String) -> String { "Basic " + Data(pair.utf8).base64EncodedString() }
}
