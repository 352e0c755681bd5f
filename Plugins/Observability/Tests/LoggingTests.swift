#if Observability
import CurlewCore
import CurlewObservability
import CurlewTestSupport
import HTTPTypes
import Logging
import Testing

@Suite struct LoggingTests {
  @Test func `a request is one line, with the names of the conventions and without secrets`() async throws {
    let lines = LogLines()
    try await exchange(observers: [LoggingObserver(lines.logger)]) { _ in .text("hello") }
    let infos = lines.all.filter { $0.level == .info }
    let line = try #require(infos.first)
    #expect(infos.count == 1 && line.message == "request ended")
    #expect(line.metadata["http.request.method"] == "GET")
    #expect(line.metadata["http.response.status_code"] == "200")
    #expect(line.metadata["http.response.body.size"] == "5")
    #expect(line.metadata["network.protocol.version"] == "1.1")
    #expect(line.metadata["error.type"] == nil && line.metadata["http.request.resend_count"] == nil)
    #expect(line.metadata["url.full"]?.contains("page=2") == true)
    #expect(Double(line.metadata["duration"] ?? "") != nil)
    let all = "\(lines.all)"
    #expect(!all.contains("s3cret"))
  }

  @Test func `a failure states its kind, and a status of 400 or more is one too`() async throws {
    let lines = LogLines()
    try await exchange(observers: [LoggingObserver(lines.logger)]) { _ in .lost }
    let failed = try #require(lines.all.last)
    #expect(failed.level == .error && failed.message == "request failed")
    #expect(failed.metadata["error.type"] == "connection-failed")
    #expect(failed.metadata["error.message"] == "There is no connection.")
    try await exchange(observers: [LoggingObserver(lines.logger, level: .notice)]) { _ in .text("no", status: .notFound)
    }
    let refused = try #require(lines.all.last)
    #expect(refused.level == .notice && refused.metadata["error.type"] == "404")
  }

  @Test func `what happens on the way is logged for debugging`() async throws {
    let lines = LogLines()
    try await exchange(observers: [LoggingObserver(lines.logger)]) { asked in
      asked.index == 0 ? .redirect(to: "/other?key=s3cret") : .text("hello")
    }
    let messages = lines.all.map(\.message)
    #expect(messages == ["sending", "responded", "redirecting", "sending", "responded", "request ended"])
    #expect(lines.all.last?.metadata["http.request.resend_count"] == "1")
    #expect(!"\(lines.all)".contains("s3cret"))
  }
}
#endif
