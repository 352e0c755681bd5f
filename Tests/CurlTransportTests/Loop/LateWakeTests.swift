import CurlewCore
import CurlewTestHarness
import CurlewTestSupport
import Glibc
import HTTPTypes
import Testing

@testable import CurlewCurlTransport

@Suite(.timeLimit(.minutes(10))) struct LateWakeTests {
  /// In a process of its own, where nobody else opens descriptors.
  @Test func `a thread that is late to wake a loop writes into no descriptor that was opened after the loop's end`()
    async
  {
    await #expect(processExitsWith: .success) {
      let gate = OriginGate()
      let origin = try await ScriptedOrigin.start { _ in .ok("hello").pausing(at: gate) }
      let reached = ManualGate()
      let isReleased = Guarded(false)
      let isFirst = Guarded(false)
      var configuration = CurlTransport.Configuration()
      configuration.beforeWaking = {
        let waits = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        guard waits else { return }
        reached.open()
        // Sleeps because that is what a thread does that the system does not run.
        while !isReleased.withLock({ $0 }) { usleep(1_000) }
      }
      let transport = try CurlTransport(configuration)
      let request = Task { try await transport.send(Request(.get, origin.url()), in: Exchange()) }
      await gate.reached()
      isFirst.withLock { $0 = true }
      let late = Task.detached {
        // Only a loop that sleeps is woken.
        while isFirst.withLock({ $0 }) { await Task(executorPreference: transport.executor) {}.value }
      }
      try await reached.wait()
      // The answer wakes the loop, which then ends.
      async let end: Void = transport.shutdown()
      gate.open()
      await end
      // What is written into one end of a pair can be read at the other.
      var others: [Int32] = []
      for _ in 0..<32 {
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        others += ends
      }
      isReleased.withLock { $0 = true }
      await late.value
      var byte: UInt8 = 0
      let written = others.filter { recv($0, &byte, 1, Int32(MSG_DONTWAIT)) > 0 }
      #expect(written.isEmpty)
      _ = await request.result
      await origin.stop()
    }
  }
}
