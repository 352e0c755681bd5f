import CurlewCore
import CurlewTestSupport
import CurlewURLSessionTransport
import FoundationEssentials
import HTTPTypes
import Testing

/// What a server does to end the process, all of it inside Foundation.
///
/// The documentation of `URLSessionTransport` names each. A test here that fails says that Foundation got better: take
/// the sentence out, and the rule that is excluded for it back in.
@Suite(.timeLimit(.minutes(10))) struct FoundationTrapTests {
  @Test func `a connection that breaks in the middle of a head ends the process`() async {
    await #expect(processExitsWith: .failure) {
      await ask("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
    }
  }

  @Test func `trailers end the process`() async {
    await #expect(processExitsWith: .failure) {
      await ask("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-T: 1\r\n\r\n")
    }
  }

  @Test func `the largest length ends the process`() async {
    await #expect(processExitsWith: .failure) {
      await ask("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nx")
    }
  }

  @Test func `a redirect to an odd host ends the process`() async {
    await #expect(processExitsWith: .failure) {
      await ask("HTTP/1.1 302 Found\r\nLocation: //[::1]/\r\nContent-Length: 0\r\n\r\n")
    }
  }

  @Test func `an answer that is in order does not`() async {
    await #expect(processExitsWith: .success) {
      await ask("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
    }
  }
}

/// Fetches an answer in a process that may not live to see it.
private func ask(_ bytes: String) async {
  let origin = try? await ScriptedOrigin.start { _ in OriginReply(.raw(bytes), .close) }
  guard let origin else { return }
  let transport = URLSessionTransport()
  _ = try? await transport.fetch(Request(.get, origin.url()))
  await transport.shutdown()
  await origin.stop()
}
