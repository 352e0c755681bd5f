import CurlewCore
import CurlewCurlTransport
import CurlewTestHarness
import CurlewTestSupport
import Glibc
import HTTPTypes
import Testing

/// What a transport does to the process it lives in, each seen in a process of its own.
@Suite(.timeLimit(.minutes(10))) struct ProcessTests {
  @Test func `a process that exits during TLS traffic does not crash`() async throws {
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(try .selfSigned())) { _ in .ok("hello") }
    for round in 0..<12 {
      await ServedChild.alone {
        await #expect(processExitsWith: .success) { [port = origin.port as Int, round = round as Int] in
          for _ in 0..<4 {
            let transport = try CurlTransport()
            for _ in 0..<8 {
              Task {
                var settings = ExchangeSettings()
                settings.serverTrust = RecordingTrustEvaluator()
                let exchange = Exchange(settings).derived(freshConnection: true)
                while true {
                  let request = try Request(.get, "https://127.0.0.1:\(port)/")
                  _ = try? await transport.send(request, in: exchange).body.collect(upTo: 100)
                }
              }
            }
          }
          // Sleeps because the moment of the exit has to vary.
          try await Task.sleep(for: .milliseconds(30 + round * 11))
          exit(0)
        }
      }
    }
    await origin.stop()
  }

  @Test func `no descriptor of a transport reaches a child process`() async throws {
    let origin = try await ScriptedOrigin.start { _ in .ok("hello") }
    await ServedChild.alone {
      await #expect(processExitsWith: .success) { [port = origin.port as Int] in
        func inherited() -> Set<Int32> {
          Set((0..<256).filter { fcntl($0, F_GETFD) == 0 })
        }
        let before = inherited()
        let transport = try CurlTransport()
        let request = try Request(.get, "http://127.0.0.1:\(port)/")
        _ = try await transport.send(request, in: Exchange()).body.collect(upTo: 100)
        let left = inherited().subtracting(before)
        #expect(left.isEmpty)
        exit(left.isEmpty ? 0 : 1)
      }
    }
    await origin.stop()
  }
}
