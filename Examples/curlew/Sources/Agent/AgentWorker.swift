import CurlewCore
import CurlewJSON
import CurlewLoading
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Carries out the requests of an agent.
struct AgentWorker: Sendable {
  /// The default limit of a body in bytes; the whole body is held in memory.
  static let defaultLimit = 256 << 20

  let session: ToolSession
  let limit: Int
  /// The retry policy; nil makes one attempt.
  let retry: RetryPolicy?
  /// The number of redirects to follow for lines that ask for `follow`.
  let redirectLimit: Int?
  /// Applies the options of the command line to a request.
  let prepare: @Sendable (inout Request) -> Void

  init(
    session: ToolSession, limit: Int64?, retry: RetryPolicy? = nil, redirectLimit: Int? = nil,
    prepare: @escaping @Sendable (inout Request) -> Void
  ) {
    self.session = session
    self.retry = retry
    self.redirectLimit = redirectLimit
    self.limit = limit.map { Int(clamping: $0) } ?? Self.defaultLimit
    self.prepare = prepare
  }

  /// Returns the answer to a line.
  func answer(_ line: Data) async -> JSONObject {
    do throws(AgentFailure) {
      let asked = try AgentRequest(line)
      do {
        return try await carryOut(asked)
      } catch {
        throw AgentFailure(id: asked.id, FetchFailure(error))
      }
    } catch {
      return Self.answer(to: error)
    }
  }

  /// Returns the answer for a failure.
  static func answer(to error: AgentFailure) -> JSONObject {
    let failure = error.failure
    return [
      "id": error.id,
      "error": [
        "kind": .string(failure.kind), "stage": .string(failure.stage.rawValue), "message": .string(failure.message),
      ],
    ]
  }

  private func carryOut(_ asked: AgentRequest) async throws -> JSONObject {
    var request = asked.request
    prepare(&request)
    asked.redirect?.apply(to: &request, limit: redirectLimit)
    request.options.delivery = .collected
    let interim = InterimHeads()
    var settings = session.settings(request)
    settings.observers.append(interim)
    let (head, body, trailers) = try await load(request, settings)
    if asked.redirect == .error { try Self.refuseRedirect(head) }
    var answer = JSONObject()
    answer["id"] = asked.id
    answer["status"] = JSONValue(integer: Int64(head.status.code))
    answer["reason"] = .string(head.status.reasonPhrase)
    answer["headers"] = Self.pairs(head.headerFields)
    answer["interim"] = .array(interim.heads.map(Self.object))
    answer["trailers"] = Self.pairs(trailers ?? [:])
    answer["body"] = .string(body.base64EncodedString())
    answer["finalURL"] = .string(head.url.absoluteString)
    answer["fromCache"] = .bool(head.source != .network)
    return answer
  }

  private func load(
    _ request: Request, _ settings: ExchangeSettings
  ) async throws -> (ResponseHead, Data, HTTPFields?) {
    guard let retry else {
      let response = try await session.loader.load(request, in: Exchange(settings))
      let body = try await response.body.collect(upTo: limit)
      return (response.head, body, response.body.trailers)
    }
    // The response of the last attempt is the answer, whatever its status.
    var configuration = Transfer<TransferResult>.Configuration(
      request, to: .memory(limit: limit), settings: settings
    ) { $0 }
    configuration.retry = retry
    let result = try await Transfer(session.loader, configuration).run()
    return (result.head, result.content.data ?? Data(), result.trailers)
  }

  private static func refuseRedirect(_ head: ResponseHead) throws {
    guard [301, 302, 303, 307, 308].contains(head.status.code), head.headerFields[.location] != nil else { return }
    throw NetworkError(
      .invalidRedirect, stage: .awaitingHead, message: "The server redirects, and the line asks for an error then.")
  }

  private static func object(_ head: ResponseHead) -> JSONValue {
    ["status": JSONValue(integer: Int64(head.status.code)), "headers": pairs(head.headerFields)]
  }

  private static func pairs(_ fields: HTTPFields) -> JSONValue {
    .array(fields.map { .array([.string($0.name.rawName), .string($0.value)]) })
  }
}

/// Collects the informational heads (1xx) of one exchange, including secrets that a log would not show.
private final class InterimHeads: EventObserver {
  private let seen = Mutex<[ResponseHead]>([])
  let wantsSecrets = true

  var heads: [ResponseHead] { seen.withLock { $0 } }

  func observe(_ event: ExchangeEvent) {
    switch event.kind {
    case .informational(let head): seen.withLock { $0.append(head) }
    case .retrying: seen.withLock { $0 = [] }
    default: break
    }
  }
}
