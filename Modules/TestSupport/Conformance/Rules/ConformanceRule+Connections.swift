import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for the use of connections.
  static let connectionRules: [ConformanceRule] = [
    .connectionReused, .freshConnectionObeyed, .droppedBodyDoesNotPoison, .closedIdleConnectionReported,
    .closingIdleConnectionsHandled, .manyAtOnce, .closeIsObeyed, .streamsShareConnection,
    .cancelledStreamKeepsConnection, .streamedBodiesApart, .versionChoiceObeyed,
  ]
}

extension ConformanceRule {
  package static let connectionReused = ConformanceRule(
    "connection-reused", "consecutive requests use one connection, and the events say so", source: "RFC 9112 §9.3",
    because: "Connections are persistent.",
    features: .connections
  ) { kit in
    let place = kit.serve(.pattern(1000))
    let observer = RecordingObserver()
    for _ in 0..<5 { _ = try await kit.fetch(Request(.get, place.url()), in: kit.exchange(observer: observer)) }
    _ = try await kit.fetch(Request(.post, place.url(), body: .text("a")), in: kit.exchange(observer: observer))
    try kit.expectEqual(Set(place.requests.map(\.connection)).count, 1, "the number of connections")
    guard kit.transport.capabilities.contains(.metrics) else { return }
    let reuse = observer.kinds.compactMap { if case .connected(let reused) = $0 { reused } else { nil } }
    try kit.expectEqual(reuse, [false, true, true, true, true, true], "whether the events report reuse")
  }

  package static let freshConnectionObeyed = ConformanceRule(
    "fresh-connection-obeyed", "a request that requires a new connection gets one", source: "Exchange",
    because: "A request is repeated safely only on a connection that the server has not closed.", features: .connections
  ) { kit in
    let place = kit.serve()
    _ = try await kit.fetch(place)
    _ = try await kit.fetch(Request(.get, place.url()), in: kit.exchange().derived(freshConnection: true))
    try kit.expectEqual(Set(place.requests.map(\.connection)).count, 2, "the number of connections")
  }

  package static let droppedBodyDoesNotPoison = ConformanceRule(
    "dropped-body-does-not-poison", "after bodies were released unread, the next answers are right",
    source: "RFC 9112 §9.3",
    because: "The rest of one answer must not be read as the next one."
  ) { kit in
    let big = kit.serve(.pattern(1 << 20))
    for number in 0..<8 {
      _ = try await kit.send(Request(.get, big.url())).head
      let place = kit.serve(.text("answer \(number)"))
      try kit.expectEqual(try await kit.fetch(place).body, Data("answer \(number)".utf8), "the next body")
    }
  }

  package static let closedIdleConnectionReported = ConformanceRule(
    "closed-idle-connection-reported",
    "a POST on a connection that closes at that moment ends in connectionLost, maybe processed",
    source: "RFC 9110 §9.2.2",
    because: "A POST that was lost may have been processed, so only the app may send it again.", features: .idleClosing
  ) { kit in
    let place = kit.serve { request in
      request.method == "GET" ? ConformanceAnswer(idling: .closeOnNextRequest) : .text("again")
    }
    for body in [.empty, .text("a body")] as [Body] {
      _ = try await kit.fetch(place)
      let before = place.requests.count
      let error = try await kit.expectError(.connectionLost, "a POST on a closing connection") {
        _ = try await kit.fetch(Request(.post, place.url(), body: body))
      }
      try kit.expectEqual(place.requests.count, before, "the number of requests that arrived")
      if kit.transport.capabilities.contains(.metrics) {
        try kit.expectEqual(error.details.connectionReused, true, "connectionReused")
      }
      try kit.expect(error.maybeProcessed, "the error says that the server cannot have processed it")
    }
  }

  package static let closingIdleConnectionsHandled = ConformanceRule(
    "closing-idle-connections-handled",
    "a server that closes after each answer gives answers, or connectionLost on a connection used before",
    source: "RFC 9112 §9.8",
    because: "Closing a connection between requests is not an error.",
    features: .idleClosing
  ) { kit in
    let place = kit.serve(ConformanceAnswer(content: .bytes([0x61]), idling: .close(after: .zero ... .zero)))
    var answers = 0
    for _ in 0..<30 {
      do {
        try kit.expectEqual(try await kit.fetch(place).body, Data("a".utf8), "the body")
        answers += 1
      } catch let error as NetworkError where error.kind == .connectionLost && error.details.connectionReused != false {
        continue
      }
    }
    try kit.expect(answers >= 15, "only \(answers) of 30 were answered")
  }

  package static let manyAtOnce = ConformanceRule(
    "many-at-once", "100 simultaneous requests each get their own answer", source: "Transport",
    because: "Answers that are mixed up show one user the data of another."
  ) {
    kit in
    let place = kit.serve { request in .text("answer to \(request.query ?? "")") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          let body = try await kit.fetch(Request(.get, place.url("?\(number)"))).body
          try kit.expectEqual(body, Data("answer to \(number)".utf8), "the body")
        }
      }
      try await group.waitForAll()
    }
    try kit.expectEqual(place.requests.count, 100, "the number of requests")
  }

  package static let closeIsObeyed = ConformanceRule(
    "close-is-obeyed", "a connection is not used again after the server announced its end", source: "RFC 9112 §9.6",
    because: "A connection ends after `Connection: close`.", features: .rawReplies
  ) { kit in
    // The server itself leaves the connection open, so that the client has to remember what was announced.
    let announced = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na"
    let place = kit.serve(.raw(announced, closes: false))
    for _ in 0..<3 { _ = try await kit.fetch(place) }
    try kit.expectEqual(Set(place.requests.map(\.connection)).count, 3, "the number of connections")
  }

  package static let streamsShareConnection = ConformanceRule(
    "streams-share-connection", "over HTTP/2 simultaneous requests share a connection", source: "RFC 9113 §5",
    because: "An HTTP/2 connection carries many streams at once.", capabilities: .http2,
    features: [.http2, .connections]
  ) { kit in
    let gate = OriginGate()
    let place = kit.serve { request in ConformanceAnswer(holdsHead: request.query == nil ? nil : gate) }
    _ = try await kit.fetch(place)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          var request = Request(.get, place.url("?\(number)"))
          request.options.delivery = .collected
          _ = try await kit.fetch(request)
        }
      }
      await gate.reached(by: 20)
      gate.open()
      try await group.waitForAll()
    }
    let connections = Set(place.requests.map(\.connection)).count
    try kit.expect(connections <= 2, "21 requests used \(connections) connections")
  }

  package static let cancelledStreamKeepsConnection = ConformanceRule(
    "cancelled-stream-keeps-connection", "over HTTP/2 a cancelled request leaves its connection to the others",
    source: "RFC 9113 §8.7",
    because: "RST_STREAM must end only one stream.",
    capabilities: .http2, features: [.http2, .connections, .departures]
  ) { kit in
    let place = kit.serve { request in
      request.query == "held"
        ? ConformanceAnswer(content: .pattern(.seeded(1), count: 1 << 20), holdsContent: .init(after: 1000))
        : .text("a")
    }
    _ = try await kit.fetch(place)
    for _ in 0..<5 {
      let response = try await kit.send(Request(.get, place.url("?held")))
      response.body.cancel()
      try kit.expectEqual(try await kit.fetch(place).body, Data("a".utf8), "the next body")
    }
    try await place.departures(5)
    try kit.expectEqual(Set(place.requests.map(\.connection)).count, 1, "the number of connections")
  }

  package static let streamedBodiesApart = ConformanceRule(
    "streamed-bodies-apart",
    "over HTTP/2 streamed bodies have connections of their own, whatever version another request asked for",
    source: "ResponseDelivery",
    because: "A streamed body that is not read would block every other stream of its connection.",
    capabilities: [.http2, .versionChoice, .backpressure], features: [.http2, .connections]
  ) { kit in
    let hold = ConformanceAnswer.Hold(after: 1000)
    let place = kit.serve { request in
      request.query == nil
        ? .text("a") : ConformanceAnswer(content: .pattern(.seeded(1), count: 5000), holdsContent: hold)
    }
    _ = try await kit.fetch(place)
    var old = Request(.get, place.url())
    old.options.version = .http1
    _ = try await kit.fetch(old)
    let first = try await kit.send(Request(.get, place.url("?1")))
    let second = try await kit.send(Request(.get, place.url("?2")))
    let connections = Set(place.requests.filter { $0.query != nil }.map(\.connection))
    hold.gate.open()
    for body in [first.body, second.body] {
      try kit.expectEqual(try await kit.collect(body, upTo: 5000).count, 5000, "the body's length")
    }
    try kit.expectEqual(connections.count, 2, "the number of connections")
  }

  package static let versionChoiceObeyed = ConformanceRule(
    "version-choice-obeyed", "a request gets the HTTP version it asks for", source: "VersionPolicy",
    because: "Some servers break with one version, and the app knows which.", capabilities: .versionChoice
  ) { kit in
    var request = Request(.get, kit.serve().url())
    request.options.version = .http1
    try kit.expectEqual(try await kit.fetch(request).head.version, .http11, "the version when HTTP/1.1 is requested")
    guard kit.endpoint.features.contains(.http2), kit.transport.capabilities.contains(.http2) else { return }
    request.options.version = .http2
    try kit.expectEqual(try await kit.fetch(request).head.version, .http2, "the version when HTTP/2 is requested")
    request.options.version = nil
    let unasked: ResponseHead.Version = kit.transport.capabilities.contains(.automaticHTTP2) ? .http2 : .http11
    try kit.expectEqual(try await kit.fetch(request).head.version, unasked, "the version when none is requested")
  }
}
