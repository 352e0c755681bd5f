import CurlewCore
import CurlewJSON
import CurlewLoading
import FoundationEssentials
import HTTPTypes

/// Answers one line after another.
struct AgentWorker: Sendable {
  /// The most bytes of a body that are taken where nothing else was said; all of it is held in memory.
  static let defaultLimit = 256 << 20

  let session: ToolSession
  let limit: Int
  /// Puts the command line's options into a request.
  let prepare: @Sendable (inout Request) -> Void

  init(session: ToolSession, limit: Int64?, prepare: @escaping @Sendable (inout Request) -> Void) {
    self.session = session
    self.limit = limit.map { Int(clamping: $0) } ?? Self.defaultLimit
    self.prepare = prepare
  }

  /// What is written for a line.
  func answer(_ line: Data) async -> JSONObject {
    do throws(AgentFailure) {
      let asked = try AgentRequest(line)
      do {
        return try await carryOut(asked)
      } catch {
        throw AgentFailure(id: asked.id, FetchFailure(error))
      }
    } catch {
      let failure = error.failure
      return [
        "id": error.id,
        "error": [
          "kind": .string(failure.kind), "stage": .string(failure.stage), "message": .string(failure.message),
        ],
      ]
    }
  }

  private func carryOut(_ asked: AgentRequest) async throws -> JSONObject {
    var request = asked.request
    prepare(&request)
    asked.redirect?.apply(to: &request)
    request.options.delivery = .collected
    let interim = InterimHeads()
    var settings = session.settings(request)
    settings.observers.append(interim)
    let response = try await session.loader.load(request, in: Exchange(settings))
    if asked.redirect == .error { try Self.refuseRedirect(response.head) }
    let body = try await response.body.collect(upTo: limit)
    var answer = JSONObject()
    answer["id"] = asked.id
    answer["status"] = JSONValue(integer: Int64(response.head.status.code))
    answer["reason"] = .string(response.head.status.reasonPhrase)
    answer["headers"] = Self.pairs(response.head.headerFields)
    answer["interim"] = .array(interim.heads.map(Self.object))
    answer["trailers"] = Self.pairs(response.body.trailers ?? [:])
    answer["body"] = .string(body.base64EncodedString())
    answer["finalURL"] = .string(response.head.url.absoluteString)
    answer["fromCache"] = .bool(response.head.source != .network)
    return answer
  }

  private static func refuseRedirect(_ head: ResponseHead) throws {
    guard [301, 302, 303, 307, 308].contains(head.status.code), head.headerFields[.location] != nil else { return }
    throw NetworkError(.invalidRedirect, stage: .awaitingHead, message: "The server redirects, which was refused.")
  }

  private static func object(_ head: ResponseHead) -> JSONValue {
    ["status": JSONValue(integer: Int64(head.status.code)), "headers": pairs(head.headerFields)]
  }

  private static func pairs(_ fields: HTTPFields) -> JSONValue {
    .array(fields.map { .array([.string($0.name.rawName), .string($0.value)]) })
  }
}

/// Remembers the informational heads of one exchange, with what a log would not show.
private final class InterimHeads: EventObserver {
  private let seen = Guarded<[ResponseHead]>([])
  let wantsSecrets = true

  var heads: [ResponseHead] { seen.withLock { $0 } }

  func observe(_ event: ExchangeEvent) {
    guard case .informational(let head) = event.kind else { return }
    seen.withLock { $0.append(head) }
  }
}
