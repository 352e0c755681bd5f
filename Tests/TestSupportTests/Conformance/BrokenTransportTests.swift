import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct BrokenTransportTests {
  /// A habit, and a rule that it breaks.
  struct Habit: Sendable, CustomTestStringConvertible {
    let rule: ConformanceRule
    let spoil: @Sendable (inout BrokenTransport) -> Void
    var testDescription: String { rule.id }

    init(_ rule: ConformanceRule, _ spoil: @escaping @Sendable (inout BrokenTransport) -> Void) {
      self.rule = rule
      self.spoil = spoil
    }
  }

  @Test(arguments: habits) func `a spoiled transport breaks the rule`(habit: Habit) async throws {
    let endpoint = StubEndpoint()
    let conformance = TransportConformance(endpoint: endpoint, timeLimit: .seconds(3))
    await #expect(throws: ConformanceFailure.self) {
      try await conformance.check(habit.rule) { BrokenTransport(endpoint.makeTransport(), habit.spoil) }
    }
  }

  static let habits = requestHabits + responseHabits + bodyHabits + endHabits + twoWayHabits

  private static let requestHabits: [Habit] = [
    Habit(.methodAsGiven) { $0.changesRequest = { $0.method = .get } },
    Habit(.pathAsGiven) { $0.changesRequest = { $0.url = URL(filePath: $0.url.path(), relativeTo: $0.url) } },
    Habit(.queryAsGiven) { broken in
      broken.changesRequest = { request in
        request.url = URL(string: request.url.absoluteString.replacing("%20", with: "+")) ?? request.url
      }
    },
    Habit(.fieldsInOrder) { broken in
      broken.changesRequest = { $0.headerFields = HTTPFields($0.headerFields.sorted { $0.value > $1.value }) }
    },
    Habit(.emptyFieldSent) { broken in
      broken.changesRequest = { $0.headerFields = HTTPFields($0.headerFields.filter { !$0.value.isEmpty }) }
    },
    Habit(.bytesWithLength) { $0.changesRequest = { $0.body = .text("another body") } },
    Habit(.cookiesNotKept) { $0.changesRequest = { $0.headerFields[.cookie] = "a=1" } },
    Habit(.nothingCached) { $0.changesRequest = { $0.headerFields[.ifNoneMatch] = "\"1\"" } },
    Habit(.unsupportedRefused) { broken in
      broken.capabilities.remove([.rawContent, .trailers])
      broken.changesRequest = { _ in }
    },
  ]

  private static let responseHabits: [Habit] = [
    Habit(.statusAsSent) { $0.changesHead = { $0.status = .ok } },
    Habit(.standardReason) { $0.changesHead = { $0.status = .init(code: $0.status.code) } },
    Habit(.versionTold) { $0.changesHead = { $0.version = .http3 } },
    Habit(.urlTold) { $0.changesHead = { $0.url = URL(filePath: "/") } },
    Habit(.cookiesApart) { broken in
      broken.changesHead = { head in
        head.headerFields[.setCookie] = head.headerFields[values: .setCookie].joined(separator: ", ")
      }
    },
    Habit(.emptyResponseField) { broken in
      broken.changesHead = { $0.headerFields = HTTPFields($0.headerFields.filter { !$0.value.isEmpty }) }
    },
    Habit(.expectedLengthTold) { $0.changesHead = { $0.expectedLength = nil } },
    Habit(.redirectNotFollowed) { broken in
      broken.sends = { request, exchange, good in
        let response = try await good.send(request, in: exchange)
        guard let text = response.head.headerFields[.location], let url = URL(string: text) else { return response }
        return try await good.send(Request(.get, url), in: exchange)
      }
    },
    Habit(.informationalAsEvents) { broken in
      broken.sends = { request, exchange, good in
        try await good.send(request, in: exchange.derived { $0.observers = [] })
      }
    },
    Habit(.headBeforeBody) { broken in
      broken.sends = { request, exchange, good in
        let response = try await good.send(request, in: exchange)
        return Response(head: response.head, body: ResponseBody(try await response.body.collect(upTo: 1 << 20)))
      }
    },
  ]

  private static let bodyHabits: [Habit] = [
    Habit(.bodyByLength) { broken in
      broken.wrapsBody = { source, _ in BrokenSource(source) { try $0.get()?.dropFirst() } }
    },
    Habit(.cutBodyReported) { broken in
      broken.wrapsBody = { source, _ in BrokenSource(source) { result in (try? result.get()) ?? nil } }
    },
    Habit(.trailersAtTheEnd) { broken in
      broken.wrapsBody = { source, _ in BrokenSource(source, trailers: [:]) }
    },
    Habit(.unreadBodyStaysOutside) { broken in
      broken.sends = { request, exchange, good in
        let response = try await good.send(request, in: exchange)
        return Response(head: response.head, body: ResponseBody(try await response.body.collect(upTo: 1 << 30)))
      }
    },
    Habit(.droppedBodyCancels) { $0.wrapsBody = { source, _ in BrokenSource(source, cancels: false) } },
    Habit(.cancelledBodyThrows) { $0.wrapsBody = { source, _ in BrokenSource(source, cancels: false) } },
    Habit(.cancelledBySink) { $0.wrapsBody = { source, _ in BrokenSource(source, cancels: false) } },
    Habit(.cancelledInBody) { broken in
      broken.wrapsBody = { source, _ in
        BrokenSource(source) { result in
          do { return try result.get() } catch is CancellationError {
            throw NetworkError(.connectionLost, stage: .receivingBody, message: "It was lost.")
          }
        }
      }
    },
  ]

  private static let endHabits: [Habit] = [
    Habit(.cancelledBeforeHead) { broken in
      broken.sends = { request, exchange, good in
        try await Task.detached { try await good.send(request, in: exchange) }.value
      }
    },
    Habit(.idleTimeoutBeforeHead) { $0.changesRequest = { $0.options.timeouts.idle = nil } },
    Habit(.totalTimeoutInBody) { $0.changesRequest = { $0.options.timeouts = Timeouts(total: .seconds(60)) } },
    Habit(.totalTimeoutInTime) { $0.changesRequest = { $0.options.timeouts.total = .seconds(60) } },
    Habit(.totalTimeoutInTime) { $0.changesRequest = { $0.options.timeouts.total = .milliseconds(50) } },
    Habit(.errorsTellWhere) { broken in
      broken.wrapsBody = { source, _ in
        BrokenSource(source) { result in
          do { return try result.get() } catch let error as NetworkError {
            throw error.with { $0.response = nil }
          }
        }
      }
    },
    Habit(.errorsTellWhere) { broken in
      broken.sends = { request, exchange, good in
        do { return try await good.send(request, in: exchange) } catch let error as NetworkError {
          throw NetworkError(error.kind, stage: error.stage, message: error.message)
        }
      }
    },
    Habit(.badURLRefused) { broken in
      broken.sends = { request, exchange, good in
        do { return try await good.send(request, in: exchange) } catch {
          throw NetworkError(.connectionFailed, stage: .connecting, message: "It did not work.")
        }
      }
    },
    Habit(.recordedOnce) { broken in
      broken.wrapsBody = { source, exchange in
        exchange.record(ExchangeMetrics())
        return source
      }
    },
    Habit(.bytesCounted) { broken in
      broken.wrapsBody = { source, _ in BrokenSource(source) { try $0.get().map { $0 + Data([1]) } } }
      broken.changesRequest = { if $0.method == .post { $0.body = .text("less") } }
    },
    Habit(.progressNeverFalls) { broken in
      broken.wrapsBody = { source, exchange in
        exchange.emit(.received(bytes: 1 << 40, expected: 1))
        return source
      }
    },
    Habit(.progressNeverFalls) { broken in
      broken.capabilities.remove(.metrics)
      broken.wrapsBody = { source, exchange in
        exchange.emit(.received(bytes: 1 << 40, expected: 1))
        return source
      }
    },
    Habit(.headToldBeforeBytes) { broken in
      broken.wrapsBody = { source, exchange in
        exchange.emit(.responded(ResponseHead(url: URL(filePath: "/"), status: .ok)))
        return source
      }
    },
    Habit(.eventsInOrder) { broken in
      broken.wrapsBody = { source, exchange in
        exchange.emit(.connected(reused: true))
        return source
      }
    },
    Habit(.shutDownRefuses) { $0.shutsDown = false },
    Habit(.shutDownEndsWaiting) { $0.shutsDown = false },
  ]

  private static let twoWayHabits: [Habit] = [
    Habit(.twoWaySendsNothing) { broken in
      broken.connects = { request, exchange, good in
        let connection = try await good.connect(request, in: exchange)
        try connection.write(Data("GET \(request.url.path()) HTTP/1.1\r\n\r\n".utf8))
        return connection
      }
    },
    Habit(.twoWayInOrder) { broken in
      broken.connects = relaying { $0.change = { $0.starts(with: "HTTP/1.1 ".utf8) ? $0 : Data($0.reversed()) } }
    },
    Habit(.twoWayReaderHoldsServer) { $0.connects = relaying { $0.hoards = true } },
    Habit(.twoWayEndAfterBytes) { $0.connects = relaying { $0.hidesEnd = true } },
    Habit(.twoWayCancelled) { $0.connects = relaying { $0.keepsConnection = true } },
    Habit(.twoWayReleased) { $0.connects = relaying { $0.keepsConnection = true } },
    Habit(.twoWayConnectedTold) { broken in
      broken.connects = { request, exchange, good in
        try await good.connect(request, in: exchange.derived { $0.observers = [] })
      }
    },
    Habit(.twoWayShutDown) { $0.shutsDown = false },
  ]

  private static func relaying(
    _ spoil: (inout BrokenRelay) -> Void
  ) -> @Sendable (Request, Exchange, any DuplexTransport) async throws -> DuplexConnection {
    var relay = BrokenRelay()
    spoil(&relay)
    return { [relay] request, exchange, good in relay.relay(try await good.connect(request, in: exchange)) }
  }

  @Test func `a relay without habits keeps the rules of two-way connections`() async throws {
    let endpoint = StubEndpoint()
    let rules: [ConformanceRule] = [.twoWayInOrder, .twoWayReaderHoldsServer, .twoWayEndAfterBytes, .twoWayReleased]
    let report = try await TransportConformance(endpoint: endpoint).run(rules) {
      BrokenTransport(endpoint.makeTransport()) { $0.connects = Self.relaying { _ in } }
    }
    #expect(report.passed == rules, "\(report)")
  }

  @Test func `a transport that claims two-way connections and has none breaks their rules`() async throws {
    struct Claiming: Transport {
      let good: any Transport
      var capabilities: TransportCapabilities { good.capabilities }
      func send(_ request: Request, in exchange: Exchange) async throws -> Response {
        try await good.send(request, in: exchange)
      }
    }
    let endpoint = StubEndpoint()
    let failure = await #expect(throws: ConformanceFailure.self) {
      try await TransportConformance(endpoint: endpoint).check(.twoWayInOrder) {
        Claiming(good: endpoint.makeTransport())
      }
    }
    #expect(failure?.sentence == "the transport has the capability, and is no DuplexTransport")
    let wrapped = RecordingTransport(endpoint.makeTransport())
    #expect(!wrapped.capabilities.contains(.duplex))
  }

  @Test func `an excluded rule is skipped with its reason, and one that needs more too`() async throws {
    let endpoint = StubEndpoint()
    let conformance = TransportConformance(endpoint: endpoint, excluding: [.statusAsSent: "it sends what it likes"])
    let excluded = try await conformance.check(.statusAsSent) { endpoint.makeTransport() }
    #expect(excluded == .skipped("excluded: it sends what it likes"))
    let lacking = try await conformance.check(.streamsShareConnection) { endpoint.makeTransport() }
    #expect(lacking == .skipped("the transport lacks HTTP/2"))
    let wireless = try await conformance.check(.garbageReported) { endpoint.makeTransport() }
    #expect(wireless == .skipped("the stub lacks raw replies"))
  }

  @Test func `a run tells of every rule`() async throws {
    let endpoint = StubEndpoint()
    let rules: [ConformanceRule] = [.statusAsSent, .garbageReported, .urlTold]
    let conformance = TransportConformance(endpoint: endpoint, timeLimit: .seconds(60))
    let report = try await conformance.run(rules) { endpoint.makeTransport() }
    #expect(report.passed == [.statusAsSent, .urlTold])
    #expect(report.skipped.map(\.rule) == [.garbageReported])
    let failures = await #expect(throws: ConformanceFailures.self) {
      try await conformance.run(rules) {
        BrokenTransport(endpoint.makeTransport()) { $0.changesHead = { $0.status = .ok } }
      }
    }
    #expect(failures?.report.failures.map(\.rule) == ["status-as-sent"])
    #expect(failures?.description.contains("broken: status-as-sent: the status: 200 instead of 201") == true)
  }

  @Test func `a rule that hangs is broken, not hanging`() async throws {
    let endpoint = StubEndpoint()
    let rule = ConformanceRule("hangs", "it never ends") { _ in
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    let conformance = TransportConformance(endpoint: endpoint, timeLimit: .milliseconds(50))
    let failure = await #expect(throws: ConformanceFailure.self) {
      try await conformance.check(rule) { endpoint.makeTransport() }
    }
    #expect(failure?.sentence.hasPrefix("it did not end within") == true)
  }

  @Test func `there are at least 60 rules and no two have one name`() {
    let rules = TransportConformance.rules
    #expect(rules.count >= 60)
    #expect(Set(rules.map(\.id)).count == rules.count)
    for rule in rules {
      #expect(rule.id.allSatisfy { $0.isLowercase || $0 == "-" || $0.isNumber }, "\(rule.id)")
      #expect(rule.sentence.first?.isLowercase == true || rule.sentence.hasPrefix("an ") || !rule.sentence.isEmpty)
    }
  }

  @Test func `every rule has its source and its reason`() {
    for rule in TransportConformance.rules {
      #expect(rule.reason.hasSuffix(".") && rule.reason.contains(" "), "\(rule.id) has no reason: add because:")
      #expect(
        rule.source.hasPrefix("RFC ")
          ? rule.source.contains("§") || rule.source == "RFC 8297" : rule.source.first?.isUppercase == true,
        "\(rule.id)")
    }
    #expect(TransportConformance.rules.count { $0.source.hasPrefix("RFC ") } > 100)
    #expect(TransportConformance.topics.allSatisfy { !$0.rules.isEmpty })
  }

  @Test func `a failure says what was expected, why, and what came over the wire`() async throws {
    let endpoint = StubEndpoint()
    let failure = await #expect(throws: ConformanceFailure.self) {
      try await TransportConformance(endpoint: endpoint).check(.cookiesNotKept) {
        BrokenTransport(endpoint.makeTransport()) { $0.changesRequest = { $0.headerFields[.cookie] = "a=1" } }
      }
    }
    #expect(failure?.rule == "cookies-not-kept" && failure?.reason == ConformanceRule.cookiesNotKept.reason)
    let text = failure?.description ?? ""
    #expect(text.contains("\n  expected: a cookie is not sent back (Transport)"), "\(text)")
    #expect(text.contains("\n  because: Only the jar of the app may hold cookies."), "\(text)")
    #expect(text.contains("\n  wire: > GET /place-") && text.contains("Cookie: a=1"), "\(text)")
    #expect(text.contains("\n  wire: < planned, without a wire: 200; Content-Length: "), "\(text)")
  }

  @Test func `the report of a rule tells how an answer ended`() async throws {
    let endpoint = StubEndpoint()
    let rule = ConformanceRule("gives-up", "it never gives up", because: "Tests end.") { kit in
      let answer = ConformanceAnswer(203, content: .bytes([UInt8](repeating: 1, count: 10)), ending: .cut(after: 3))
      _ = try? await kit.fetch(kit.serve(answer))
      throw ConformanceFailure("it gave up")
    }
    let failure = await #expect(throws: ConformanceFailure.self) {
      try await TransportConformance(endpoint: endpoint).check(rule) { endpoint.makeTransport() }
    }
    let answer = "< planned, without a wire: 203; Content-Length: 10; 10 bytes of content; closed after 3 bytes"
    #expect(failure?.wire.first?.hasPrefix("> GET /place-") == true)
    #expect(failure?.wire.contains(answer) == true, "\(failure?.wire ?? [])")
  }
}
