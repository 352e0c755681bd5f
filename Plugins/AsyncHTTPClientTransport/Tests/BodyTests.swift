#if AsyncHTTPClient
import CurlewAsyncHTTPClientTransport
import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(10))) struct BodyTests {
  private static let size: Int64 = 64 << 20

  @Test func `a body that is cancelled while it streams leaves no connection`() async throws {
    try await withOrigin { _ in
      .ok(.seeded(1), count: Self.size)
    } _: { origin, transport in
      let reading = Task {
        let response = try await transport.send(Request(.get, origin.url()), in: Exchange())
        var seen = 0
        for try await chunk in response.body {
          seen += chunk.count
          if seen > 1 << 20 { withUnsafeCurrentTask { $0?.cancel() } }
        }
        return seen
      }
      await #expect(throws: CancellationError.self) { try await reading.value }
      let isClosed = await origin.until { $0.connectionsOpen == 0 }
      #expect(isClosed)
      #expect(origin.counters.connectionsAccepted == 1)
      #expect(origin.counters.bytesSent < Self.size)
    }
  }

  @Test func `a reader that stops holds the server back, and later gets every byte`() async throws {
    try await withOrigin { _ in
      .ok(.seeded(1), count: Self.size)
    } _: { origin, transport in
      let response = try await transport.send(Request(.get, origin.url()), in: Exchange())
      var iterator = response.body.makeAsyncIterator()
      var seen = try await iterator.next()?.count ?? 0
      // What the server sends meanwhile fills the kernel's buffers, and then stops.
      var sent: Int64 = -1
      while origin.counters.bytesSent != sent {
        sent = origin.counters.bytesSent
        // Sleeps because only time shows that nothing more is sent.
        try await Task.sleep(for: .milliseconds(300))
      }
      #expect(sent < 24 << 20)
      while let chunk = try await iterator.next() { seen += chunk.count }
      #expect(seen == Int(Self.size))
    }
  }

  @Test func `a connection error after the head keeps AsyncHTTPClient's error`() async throws {
    try await withOrigin { _ in
      OriginReply(.raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"), .close)
    } _: { origin, transport in
      let error = try await failure { _ = try await transport.fetch(Request(.get, origin.url())) }
      #expect(error.kind == .truncatedBody)
      #expect(error.details.underlying != nil)
      #expect(error.details.bytesReceived == 5)
      #expect(error.details.response?.status == .ok)
    }
  }

  @Test func `the mark of a request never reaches the server`() async throws {
    try await withOrigin { _ in
      .ok()
    } _: { origin, transport in
      for _ in 0..<3 { _ = try await transport.fetch(Request(.get, origin.url("/a?b=%E4"))) }
      for request in origin.requests {
        #expect(request.fields.lines.map(\.name) == ["Host"])
        #expect(request.target == "/a?b=%E4")
      }
      #expect(origin.counters.connectionsAccepted == 1)
    }
  }

  @Test func `requests beyond the limit wait, and higher priorities go first`() async throws {
    var configuration = AsyncHTTPClientTransport.Configuration()
    configuration.requestsAtOnce = 1
    let gate = OriginGate()
    try await withOrigin(OriginOptions(), configuration) { request in
      request.path == "/first" ? .ok("x").pausing(at: gate) : .ok("x")
    } _: { origin, transport in
      let first = Task { try await transport.fetch(Request(.get, origin.url("/first"))) }
      await gate.reached()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (name, priority) in [("/low", RequestPriority.low), ("/high", .high), ("/normal", .normal)] {
          var request = Request(.get, origin.url(name))
          request.options.priority = priority
          let observer = RecordingObserver()
          group.addTask { [request] in
            _ = try await transport.fetch(request, in: .with { $0.observers = [observer] })
          }
          // Sleeps because a request that waits reports nothing.
          try await Task.sleep(for: .milliseconds(50))
        }
        gate.open()
        try await group.waitForAll()
      }
      _ = try await first.value
      #expect(origin.requests.map(\.path) == ["/first", "/high", "/normal", "/low"])
      #expect(origin.counters.connectionsAccepted == 1)
    }
  }
}
#endif
