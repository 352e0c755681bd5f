import CurlewCore
import CurlewLoading
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes

/// Transfers under a policy, for several suites.
enum RetryFixture {
  static func transfer(
    _ transport: any Transport, _ policy: RetryPolicy, _ request: Request = Fixture.request(),
    clock: ManualClock, interceptors: [any Interceptor] = [], observer: RecordingObserver? = nil,
    _ change: (inout Transfer<String>.Configuration) -> Void = { _ in }
  ) -> Transfer<String> {
    let settings = Fixture.settings(clock: clock, observer: observer)
    var configuration = Transfer<String>.Configuration(request, to: .memory(limit: 1_000), settings: settings) {
      String(decoding: $0.content.data ?? Data(), as: UTF8.self)
    }
    configuration.retry = policy
    change(&configuration)
    return Transfer(Loader(transport, interceptors: interceptors), configuration)
  }

  /// Runs a transfer whose every wait is over at once.
  static func run(_ transfer: Transfer<String>, _ clock: ManualClock) async throws -> String {
    transfer.start()
    while transfer.state != .finished, !Task.isCancelled {
      clock.advanceToNextSleeper()
      await Task.yield()
    }
    return try await transfer.value
  }
}
