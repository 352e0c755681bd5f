import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

/// The origin of one case: answers as its steps say and remembers what it was asked.
final class CacheTestOrigin: Sendable {
  struct Asked: Sendable {
    var number: Int?
    var method: String
    var fields: HTTPFields
    /// What the client must see of the answer.
    var answered: [(name: String, value: String)]
    /// All of the answer's fields.
    var sent: HTTPFields
  }

  let token: String
  private let steps: [CacheTestDefinition.Step]
  private let clock: ManualClock
  private let asked = Guarded<[Asked]>([])

  init(_ test: CacheTestDefinition, _ clock: ManualClock) {
    token = "token-" + test.id
    steps = test.requests
    self.clock = clock
  }

  var log: [Asked] { asked.withLock { $0 } }

  func answer(_ request: Request) -> StubAnswer {
    let number = request.headerFields[Self.name("Req-Num")].flatMap { Int($0) }
    let count = log.count + 1
    guard let step = steps.dropFirst((number ?? count) - 1).first else { return StubAnswer(.conflict) }
    var status = self.status(of: step)
    if let expected = step.text("expected_type"), expected.hasSuffix("validated") {
      status = isUnchanged(request, number) ? .notModified : HTTPResponse.Status(code: 999)
    }

    var fields: HTTPFields = [:]
    fields[Self.name("Server-Base-Url")] = request.url.path
    fields[Self.name("Server-Request-Count")] = String(count)
    fields[Self.name("Client-Request-Count")] = number.map { String($0) }
    fields[Self.name("Server-Now")] = String(HTTPDate(clock.date).secondsSince1970)
    var seen: [(name: String, value: String)] = []
    for field in step.fields("response_headers") {
      guard let name = field.first?.text, let value = value(of: field, in: step, fields) else { continue }
      fields.append(HTTPField(name: Self.name(name), value: value))
      guard field.count < 3 || field[2] == .truth(true), name.lowercased() != "date" else { continue }
      seen.removeAll { $0.name == name }
      seen.append((name, fields[Self.name(name)] ?? ""))
    }
    if fields[.contentType] == nil { fields[.contentType] = "text/plain" }
    if fields[.date] == nil { fields[.date] = HTTPDate(clock.date).description }
    asked.withLock {
      $0.append(
        Asked(
          number: number, method: request.method.rawValue, fields: request.headerFields, answered: seen, sent: fields))
    }
    fields[Self.name("Request-Numbers")] = log.map { $0.number.map { String($0) } ?? "NaN" }.joined(separator: " ")
    if step.isTrue("disconnect") {
      return .failing(NetworkError(.connectionLost, stage: .awaitingHead, message: "The origin went away."))
    }
    var answer = StubAnswer(status, headerFields: fields, body: body(of: step, status))
    answer.announcesLength = fields[.contentLength] == nil && !step.has("response_pause")
    answer.informational = (step["interim_responses"]?.elements ?? []).compactMap { interim(of: $0) }
    return answer
  }

  /// The value of a field of a step; numbers in fields of dates are seconds from when the origin answered.
  func value(
    of field: [CacheTestDefinition.Value], in step: CacheTestDefinition.Step, _ answered: HTTPFields
  ) -> String? {
    guard let name = field.first?.text?.lowercased(), field.count > 1 else { return nil }
    if let seconds = field[1].number {
      guard Self.dates.contains(name) else { return String(seconds) }
      let now = answered[Self.name("Server-Now")].flatMap { Int64($0) } ?? HTTPDate(clock.date).secondsSince1970
      return HTTPDate(secondsSince1970: now + Int64(seconds)).description
    }
    guard let text = field[1].text else { return nil }
    guard step.isTrue("magic_locations"), name == "location" || name == "content-location" else { return text }
    return (answered[Self.name("Server-Base-Url")] ?? "") + (text.isEmpty ? "" : "/" + text)
  }

  static func name(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .warningField }

  private static let dates: Set<String> = [
    "date", "expires", "last-modified", "if-modified-since", "if-unmodified-since",
  ]

  private func status(of step: CacheTestDefinition.Step) -> HTTPResponse.Status {
    let parts = step["response_status"]?.elements ?? []
    guard let code = parts.first?.number else { return .ok }
    return HTTPResponse.Status(code: code, reasonPhrase: parts.dropFirst().first?.text ?? "")
  }

  private func isUnchanged(_ request: Request, _ number: Int?) -> Bool {
    guard let number, let previous = log.last(where: { $0.number == number - 1 })?.sent else { return false }
    return [(HTTPField.Name.eTag, HTTPField.Name.ifNoneMatch), (.lastModified, .ifModifiedSince)].contains { pair in
      previous[pair.0].map { $0 == request.headerFields[pair.1] } ?? false
    }
  }

  private func body(of step: CacheTestDefinition.Step, _ status: HTTPResponse.Status) -> [StubAnswer.Step] {
    let text = step.text("response_body") ?? token
    let bytes = Data(text.utf8)
    guard let pause = step["response_pause"]?.number else { return bytes.isEmpty ? [] : [.bytes(bytes)] }
    return [
      .made { [clock] in
        clock.advance(by: .seconds(pause))
        return bytes
      }
    ]
  }

  private func interim(of value: CacheTestDefinition.Value) -> HTTPResponse? {
    guard let parts = value.elements, let code = parts.first?.number else { return nil }
    var response = HTTPResponse(status: HTTPResponse.Status(code: code))
    for field in parts.dropFirst().first?.elements ?? [] {
      guard let pair = field.elements, pair.count == 2, let name = pair[0].text, let value = pair[1].text else {
        continue
      }
      response.headerFields.append(HTTPField(name: Self.name(name), value: value))
    }
    return response
  }
}

extension HTTPField.Name {
  /// Stands for a name that is none.
  static var warningField: HTTPField.Name { HTTPField.Name("warning") ?? .age }
}
