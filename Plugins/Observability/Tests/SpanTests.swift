#if Observability
import CurlewCore
import CurlewObservability
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import InMemoryTracing
import Synchronization
import Testing
import Tracing

@Suite struct SpanTests {
  /// A tracer whose identities have the form of W3C Trace Context.
  private static func tracer() -> InMemoryTracer {
    let count = Mutex(0)
    let next: @Sendable () -> Int = {
      count.withLock { count in
        count += 1
        return count
      }
    }
    return InMemoryTracer(
      idGenerator: InMemoryTracer.IDGenerator(
        nextTraceID: { digits(next(), 32) }, nextSpanID: { digits(next(), 16) }))
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: count - text.count) + text
  }

  private static let traceContext: SpanInterceptor.TraceContext = { context in
    context.inMemorySpanContext.flatMap { W3CTraceContext(traceID: $0.traceID, parentID: $0.spanID, state: "curlew=1") }
  }

  @Test func `each hop is a span of its own, and the server is told which`() async throws {
    let tracer = Self.tracer()
    let interceptor = SpanInterceptor(tracer, traceContext: Self.traceContext)
    let parent = tracer.startSpan("parent")
    let sent = try await InstrumentationContext.$current.withValue(parent.context) {
      try await exchange(perHop: [interceptor]) { asked in
        asked.index == 0 ? .redirect(to: "/other") : .text("hello")
      }.sent
    }
    let spans = tracer.finishedSpans
    #expect(spans.count == 2 && sent.count == 2)
    for (span, request) in zip(spans, sent) {
      #expect(span.kind == .client && span.operationName == "GET")
      #expect(span.traceID == parent.traceID && span.parentSpanID == parent.spanID)
      let fields = request.headerFields
      let name = try #require(HTTPField.Name("traceparent"))
      let found = try #require(fields[name].flatMap { W3CTraceContext(traceparent: $0) })
      #expect(found.traceID == span.traceID && found.parentID == span.spanID)
      #expect(try fields[#require(HTTPField.Name("tracestate"))] == "curlew=1")
    }
    #expect(spans[1].attributes.get("http.request.resend_count") == .int64(1))
  }

  @Test func `a span has the attributes of the conventions, and no secrets`() async throws {
    let tracer = Self.tracer()
    try await exchange(perHop: [SpanInterceptor(tracer)]) { _ in .text("no", status: .notFound) }
    let span = try #require(tracer.finishedSpans.first)
    #expect(span.attributes.get("http.request.method") == .string("GET"))
    #expect(span.attributes.get("server.address") == .string("example.org"))
    #expect(span.attributes.get("server.port") == .int64(8443))
    #expect(span.attributes.get("http.response.status_code") == .int64(404))
    #expect(span.attributes.get("network.protocol.version") == .string("1.1"))
    #expect(span.attributes.get("error.type") == .string("404"))
    #expect(span.status?.code == .error)
    var texts: [String] = []
    span.attributes.forEach { name, value in texts.append("\(name)=\(value)") }
    #expect(texts.joined().contains("page=2"))
    #expect(!texts.joined().contains("s3cret"))
    // Without another context, the tracer injects its own fields.
    #expect(tracer.performedContextInjections.count == 1)
  }

  @Test func `the span of a redirect that is refused is no error`() async throws {
    let tracer = Self.tracer()
    let error = try await exchange(perHop: [SpanInterceptor(tracer)]) { _ in
      var answer = StubAnswer.redirect(to: "ftp://h.test/")
      answer.body = [.bytes(Data("a body that nobody reads".utf8))]
      return answer
    }.error
    #expect((error as? NetworkError)?.kind == .invalidRedirect)
    let span = try #require(tracer.finishedSpans.first)
    #expect(tracer.finishedSpans.count == 1 && tracer.activeSpans.isEmpty)
    #expect(span.attributes.get("http.response.status_code") == .int64(302))
    #expect(span.attributes.get("error.type") == nil && span.status == nil)
  }

  @Test func `a span ends with an error, and with a body that nobody reads`() async throws {
    let tracer = Self.tracer()
    try await exchange(perHop: [SpanInterceptor(tracer)]) { _ in .lost }
    let failed = try #require(tracer.popFinishedSpans().first)
    #expect(failed.status?.code == .error)
    #expect(failed.attributes.get("error.type") == .string("connection-failed"))

    let next = Next([SpanInterceptor(tracer)]) { request, exchange in
      try await StubTransport(.text("hello")).send(request, in: exchange)
    }
    do {
      let response = try await next(Request(.get, "http://h/"), in: Exchange())
      #expect(tracer.finishedSpans.isEmpty)
      #expect(response.head.status == .ok)
    }
    #expect(tracer.finishedSpans.count == 1)
  }

  @Test(arguments: [
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", true),
    ("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-will-be-like", true),
    ("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-", false),
    ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", false),
    ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01", false),
    ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-+1", false), ("", false),
  ])
  func `a traceparent is read as the recommendation says`(text: String, isValid: Bool) {
    let context = W3CTraceContext(traceparent: text, tracestate: "a=1")
    #expect((context != nil) == isValid)
    guard let context, text.hasPrefix("00") else { return }
    #expect(context.traceparent == text && context.state == "a=1")
  }

  @Test func `a tracestate that is too long is left out`() {
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    for state in [String(repeating: "a", count: 513), "", "a\nb"] {
      #expect(W3CTraceContext(traceparent: parent, tracestate: state)?.state == nil)
    }
  }
}
#endif
