import CurlewCore
import CurlewReachability
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@Suite struct NetworkProbeTests {
  /// What a probe finds where this is answered, in one word.
  private func finding(_ answer: StubAnswer, body: Data? = nil) async throws -> String {
    let status: HTTPResponse.Status = body == nil ? .noContent : .ok
    var request = try Request(.get, "http://probe.test/204")
    // The stub answers at once; on a busy machine the test may still wait for its turn.
    request.options.timeouts.total = .seconds(300)
    let probe = NetworkProbe(request, status: status, body: body)
    return switch try await probe.run(over: StubTransport(answer)) {
    case .online: "online"
    case .captivePortal(let head): "portal \(head.status.code)"
    case .offline: "offline"
    }
  }

  @Test func `the answer of the right server is online, any other is a captive portal, none is offline`() async throws {
    #expect(try await finding(.text("", status: .noContent)) == "online")
    #expect(try await finding(.text("Log in.")) == "portal 200")
    #expect(try await finding(.text("", status: .found)) == "portal 302")
    #expect(try await finding(.text("success"), body: Data("success".utf8)) == "online")
    #expect(try await finding(.text("Log in."), body: Data("success".utf8)) == "portal 200")
    let lost = NetworkError(.nameLookupFailed, stage: .connecting, message: "No such name.")
    #expect(try await finding(.failing(lost)) == "offline")
  }

  @Test func `a probe that is cancelled says nothing of the network`() async throws {
    let gate = ManualGate()
    let stub = StubTransport { _ in
      try await gate.wait()
      return .text("")
    }
    let probe = NetworkProbe(try Request(.get, "http://probe.test/204"))
    let running = Task { try await probe.run(over: stub) }
    try await gate.waitForArrivals()
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
  }
}
