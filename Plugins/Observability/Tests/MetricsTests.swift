#if Observability
import CoreMetrics
import CurlewCore
import CurlewObservability
import CurlewTestSupport
import HTTPTypes
import MetricsTestKit
import Testing

@Suite struct MetricsTests {
  private let server = [
    ("http.request.method", "GET"), ("server.address", "example.org"), ("server.port", "8443"), ("url.scheme", "https"),
  ]

  @Test func `each sending is a duration and two sizes`() async throws {
    let metrics = TestMetrics()
    try await exchange(observers: [MetricsObserver(factory: metrics)]) { asked in
      asked.index == 0 ? .redirect(to: "/other") : .text("hello")
    }
    let version = ("network.protocol.version", "1.1")
    for (status, size) in [("302", 0.0), ("200", 5.0)] {
      let dimensions = server + [("http.response.status_code", status), version]
      let timer = try metrics.expectTimer("http.client.request.duration", dimensions)
      #expect(timer.values.count == 1 && timer.displayUnit == .seconds)
      #expect(try metrics.expectRecorder("http.client.response.body.size", dimensions).values == [size])
      #expect(try metrics.expectRecorder("http.client.request.body.size", dimensions).values == [0])
    }
    #expect(metrics.timers.count == 2)
    #expect(try metrics.expectMeter("http.client.active_requests", server).values.last == 0)
  }

  @Test func `a failure is counted by its kind`() async throws {
    let metrics = TestMetrics()
    try await exchange(observers: [MetricsObserver(factory: metrics)]) { _ in .lost }
    let timer = try metrics.expectTimer("http.client.request.duration", server + [("error.type", "connection-failed")])
    #expect(timer.values.count == 1)
    try await exchange(observers: [MetricsObserver(factory: metrics)]) { _ in .text("no", status: .badGateway) }
    let dimensions =
      server + [("http.response.status_code", "502"), ("network.protocol.version", "1.1"), ("error.type", "502")]
    #expect(try metrics.expectTimer("http.client.request.duration", dimensions).values.count == 1)
    #expect(try metrics.expectMeter("http.client.active_requests", server).values.last == 0)
  }

  @Test func `methods that no standard names are one dimension`() async throws {
    let metrics = TestMetrics()
    for name in ["BREW", "WHEN"] {
      let method = try #require(HTTPRequest.Method(name))
      try await exchange(method: method, observers: [MetricsObserver(factory: metrics)]) { _ in .text("hello") }
    }
    #expect(metrics.timers.count == 1)
    #expect(metrics.timers.first?.dimensions.first?.1 == "_OTHER")
    #expect(!metrics.timers.flatMap(\.dimensions).contains { $0.1.contains("s3cret") })
  }
}
#endif
