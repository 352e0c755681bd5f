import Testing

@testable import CurlewCore

@Suite struct FarDeadlineTests {
  /// More seconds than an `Int64` has, and not quite more than a duration can be.
  static let longest = Duration.seconds(Int64.max) * 18

  @Test(arguments: [.seconds(Int64.max), longest, .seconds(Int64.max - 1)] as [Duration])
  func `a sleep until any deadline goes on until it is cancelled`(_ wait: Duration) async {
    let sleeping = Task { try await SystemClock().sleep(until: .now.advanced(by: wait)) }
    sleeping.cancel()
    await #expect(throws: CancellationError.self) { try await sleeping.value }
  }

  @Test func `a deadline in the past ends a sleep at once`() async throws {
    for passed in [Duration.seconds(1), .seconds(Int64.max), Self.longest] {
      try await SystemClock().sleep(until: .now.advanced(by: .zero - passed))
    }
  }

  @Test func `durations that an app chooses are limited to what can be added`() {
    let now = ContinuousClock.now
    for duration in [Duration.zero, .seconds(-1), .zero - Self.longest] { #expect(duration.limited == .zero) }
    #expect(Duration.milliseconds(1500).limited == .milliseconds(1500))
    for duration in [Duration.seconds(Int64.max), Self.longest] {
      #expect(duration.limited == .seconds(1 << 31))
      #expect(now.left(until: now + duration) == .seconds(1 << 31))
      #expect(now.left(until: now - duration) == .zero)
    }
    #expect(now.left(until: now + .seconds(3)) == .seconds(3))
  }
}
