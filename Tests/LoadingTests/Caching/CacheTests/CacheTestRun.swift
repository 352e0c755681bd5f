import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

/// Plays one case and judges it, as the suite's own client does.
struct CacheTestRun {
  enum Outcome: Sendable, Hashable {
    case passed
    /// The check that failed.
    case failed(String)
    /// It could not be set up, and so says nothing.
    case notSetUp(String)
  }

  private struct Failure: Error { var outcome: Outcome }
  private struct Reply: Sendable {
    var status: Int
    var fields: HTTPFields
    var interim: [Int]
  }

  private let test: CacheTestDefinition
  private let clock: ManualClock
  private let origin: CacheTestOrigin
  private let caching: Caching
  private let loader: Loader

  init(_ test: CacheTestDefinition, _ store: any CacheStore) {
    self.test = test
    clock = ManualClock(date: Date(timeIntervalSince1970: 1_790_000_000))
    let origin = CacheTestOrigin(test, clock)
    self.origin = origin
    caching = Caching(store)
    loader = Loader(StubTransport { origin.answer($0.request) }, interceptors: [caching])
  }

  func outcome() async -> Outcome {
    do {
      var replies: [Reply] = []
      for (index, step) in test.requests.enumerated() {
        replies.append(try await play(step, index + 1, after: replies.last))
        await caching.waitForRevalidations()
        if step.has("pause_after") { clock.advance(by: .seconds(3)) }
      }
      try judgeOrigin(replies)
      return .passed
    } catch let failure as Failure {
      return failure.outcome
    } catch {
      return .failed((error as? NetworkError).map { "\($0.message) (\($0.kind.rawValue))" } ?? "\(error)")
    }
  }

  private func check(_ condition: Bool, isSetup: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw Failure(outcome: isSetup ? .notSetUp(message()) : .failed(message())) }
  }

  // MARK: The client

  private func request(_ step: CacheTestDefinition.Step, _ number: Int, after reply: Reply?) throws -> Request {
    var address = "http://cache.test/test/" + origin.token
    if let file = step.text("filename") { address += "/" + file }
    if let query = step.text("query_arg") { address += "?" + query }
    let method = HTTPRequest.Method(step.text("request_method") ?? "GET") ?? .get
    var request = try Request(method, address)
    for field in step.fields("request_headers") {
      guard let name = field.first?.text, var value = origin.value(of: field, in: step, [:]) else { continue }
      if step.isTrue("magic_ims"), name.lowercased() == "if-modified-since", let seconds = field[1].number,
        let modified = reply?.fields[.lastModified].flatMap({ HTTPDate($0, now: HTTPDate(clock.date)) })
      {
        value = HTTPDate(secondsSince1970: modified.secondsSince1970 + Int64(seconds)).description
      }
      request.headerFields.append(HTTPField(name: CacheTestOrigin.name(name), value: value))
    }
    request.headerFields[CacheTestOrigin.name("Test-ID")] = test.id
    request.headerFields[CacheTestOrigin.name("Req-Num")] = String(number)
    if let body = step.text("request_body") { request.body = .text(body) }
    request.options.cachePolicy =
      switch step.text("cache") {
      case "no-store": .noStore
      case "reload": .reload
      case "no-cache": .revalidate
      case "force-cache": .returnStoredElseLoad
      case "only-if-cached": .returnStoredDontLoad
      default: nil
      }
    return request
  }

  private func play(_ step: CacheTestDefinition.Step, _ number: Int, after last: Reply?) async throws -> Reply {
    let observer = RecordingObserver()
    var settings = ExchangeSettings()
    settings.clock = clock
    settings.observers = [observer]
    let request = try request(step, number, after: last)
    let head: ResponseHead
    let body: Data
    do {
      let response = try await loader.load(request, in: Exchange(settings))
      body = try await response.body.collect(upTo: 1 << 20)
      head = response.head
    } catch {
      // What a cache for many answers with a 502 is an error here.
      guard step.isTrue("disconnect"), step["expected_status"] == .null else { throw error }
      return Reply(status: 0, fields: [:], interim: [])
    }
    let interim = observer.kinds.compactMap { kind -> Int? in
      if case .informational(let head) = kind { head.status.code } else { nil }
    }
    let reply = Reply(status: head.status.code, fields: head.headerFields, interim: interim)
    try judge(reply, String(decoding: body, as: UTF8.self), step, number)
    return reply
  }

  private func judge(
    _ reply: Reply, _ body: String, _ step: CacheTestDefinition.Step, _ number: Int
  ) throws {
    func value(_ name: String) -> String? { reply.fields[CacheTestOrigin.name(name)] }
    let numbers = value("Request-Numbers")?.split(separator: " ") ?? []
    try check(Set(numbers).count == numbers.count, isSetup: true, "a request was sent twice")

    let count = value("Server-Request-Count").flatMap { Int($0) }
    switch step.text("expected_type") {
    case "cached"?:
      try check(
        (reply.status == 304 && count == nil) || count.map { $0 < number } ?? false,
        isSetup: step.isSetup("expected_type"), "response \(number) does not come from the cache")
    case "not_cached"?:
      try check(
        count == number, isSetup: step.isSetup("expected_type"), "response \(number) comes from the cache")
    default: break
    }

    if let expected = step["expected_status"] {
      if let code = expected.number {
        try check(
          reply.status == code, isSetup: step.isSetup("expected_status"), "response \(number) is \(reply.status)")
      }
    } else if let code = step["response_status"]?.elements?.first?.number {
      try check(reply.status == code, isSetup: true, "response \(number) is \(reply.status), not \(code)")
    } else if reply.status == 999 {
      try check(false, isSetup: step.isSetup("expected_type"), "request \(number) was not conditional")
    } else {
      try check(reply.status == 200, isSetup: true, "response \(number) is \(reply.status), not 200")
    }

    for field in step.fields("expected_response_headers") {
      guard let name = field.first?.text else { continue }
      try check(
        value(name).map { matches($0, field, reply, step) } ?? false,
        isSetup: step.isSetup("expected_response_headers"),
        "response \(number) has \(name): \(value(name) ?? "nothing")")
    }
    for field in step.fields("expected_response_headers_missing") {
      guard let name = field.first?.text else { continue }
      let unwanted = field.dropFirst().first?.text
      try check(
        value(name).map { found in unwanted.map { !found.contains($0) } ?? false } ?? true,
        isSetup: step.isSetup("expected_response_headers_missing"),
        "response \(number) still has \(name): \(value(name) ?? "")")
    }
    if let expected = step["expected_interim_responses"]?.elements {
      try check(
        reply.interim == expected.compactMap { $0.elements?.first?.number }, isSetup: false,
        "response \(number) came with interim responses \(reply.interim)")
    }
    try judgeBody(body, reply, step, number)
  }

  private func matches(
    _ found: String, _ field: [CacheTestDefinition.Value], _ reply: Reply, _ step: CacheTestDefinition.Step
  ) -> Bool {
    guard field.count > 1 else { return true }
    if field.count > 2, field[1] == .text("=") {
      return field[2].text.map { reply.fields[CacheTestOrigin.name($0)] == found } ?? false
    }
    if field.count > 2, field[1] == .text(">") {
      return (Int(found) ?? .min) > (field[2].number ?? .max)
    }
    return found == origin.value(of: field, in: step, reply.fields)
  }

  private func judgeBody(_ body: String, _ reply: Reply, _ step: CacheTestDefinition.Step, _ number: Int) throws {
    if step["check_body"] == .truth(false) { return }
    if let expected = step["expected_response_text"] {
      guard let text = expected.text else { return }
      try check(body == text, isSetup: step.isSetup("expected_response_text"), "body \(number) is \"\(body)\"")
    } else if let text = step.text("response_body") {
      try check(body == text, isSetup: true, "body \(number) is \"\(body)\"")
    } else if reply.status != 204, reply.status != 304, step.text("request_method") != "HEAD" {
      try check(body == origin.token, isSetup: true, "body \(number) is \"\(body)\"")
    }
  }

  // MARK: What the origin saw

  private func judgeOrigin(_ replies: [Reply]) throws {
    let log = origin.log
    var position = 0
    for (index, step) in test.requests.enumerated() {
      let expected = step.text("expected_type")
      if expected == "cached" { continue }
      let number = index + 1
      let asked = position < log.count ? log[position] : nil
      if expected == "not_cached" {
        try check(
          asked?.number == number, isSetup: step.isSetup("expected_type"), "request \(number) did not reach the origin")
      }
      position += 1
      for (type, name) in [("etag_validated", HTTPField.Name.ifNoneMatch), ("lm_validated", .ifModifiedSince)]
      where expected == type {
        try check(
          asked?.fields[name] != nil, isSetup: step.isSetup("expected_type"), "request \(number) has no \(name)")
      }
      for field in step.fields("expected_request_headers") {
        guard let name = field.first?.text else { continue }
        let found = asked?.fields[CacheTestOrigin.name(name)]
        try check(
          found != nil && (field.count < 2 || found == origin.value(of: field, in: step, [:])),
          isSetup: step.isSetup("expected_request_headers"), "request \(number) has \(name): \(found ?? "nothing")")
      }
      for field in step.fields("expected_request_headers_missing") {
        guard let name = field.first?.text else { continue }
        try check(
          asked?.fields[CacheTestOrigin.name(name)] == nil, isSetup: step.isSetup("expected_request_headers_missing"),
          "request \(number) has \(name)")
      }
      if let method = step.text("expected_method") {
        try check(
          asked?.method == method, isSetup: step.isSetup("expected_method"), "request \(number) has another method")
      }
      for field in asked?.answered ?? [] {
        let found = replies[index].fields[CacheTestOrigin.name(field.name)]
        try check(found == field.value, isSetup: true, "response \(number) has \(field.name): \(found ?? "nothing")")
      }
    }
  }
}
