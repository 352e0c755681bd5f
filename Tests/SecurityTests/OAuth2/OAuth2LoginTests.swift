import CurlewCore
import CurlewTestSupport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import CurlewSecurity

@Suite struct OAuth2LoginTests {
  private static let code =
    #"{"device_code": "the-device-code", "user_code": "WDJB-MJHT", "verification_uri": "https://login.test/device", "expires_in": 100, "interval": 2}"#

  private static func error(_ word: String) -> StubAnswer { .json(#"{"error": "\#(word)"}"#, status: .badRequest) }

  /// Signs in while the clock goes on by itself, and returns the seconds at which the server was asked.
  private func login(
    code: String = Self.code, clock: ManualClock = ManualClock(), _ answers: [@Sendable () throws -> StubAnswer]
  ) async throws -> (token: OAuth2Token, seconds: [Int], shown: [String]) {
    let begin = clock.now
    let seconds = Guarded<[Int]>([])
    let shown = Guarded<[String]>([])
    let endpoint = TokenEndpoint { form, index in
      #expect(form["client_id"] == "birds")
      guard index > 0 else { return .json(code) }
      #expect(form["device_code"] == "the-device-code")
      #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:device_code")
      seconds.withLock { $0.append(Int(begin.duration(to: clock.now).components.seconds)) }
      return try answers[min(index, answers.count) - 1]()
    }
    let client = try endpoint.client(secret: nil, clock: clock)
    let ticking = Task {
      while !Task.isCancelled {
        try await clock.waitForSleepers()
        clock.advanceToNextSleeper()
      }
    }
    defer { ticking.cancel() }
    let token = try await client.login(at: "https://login.test/device") { code in
      shown.withLock { $0.append("\(code)") }
    }
    return (token, seconds.withLock { $0 }, shown.withLock { $0 })
  }

  private let granted: @Sendable () throws -> StubAnswer = {
    .json(#"{"access_token": "T", "token_type": "Bearer", "refresh_token": "R"}"#)
  }
  private let pending: @Sendable () throws -> StubAnswer = { OAuth2LoginTests.error("authorization_pending") }

  private let timeout: @Sendable () throws -> StubAnswer = {
    throw NetworkError(.idleTimedOut, stage: .awaitingHead, message: "Nothing came.")
  }

  @Test func `a login waits for the user as often as the server says, and longer when it is told to`() async throws {
    let slow: @Sendable () throws -> StubAnswer = { Self.error("slow_down") }
    let (token, seconds, shown) = try await login([pending, pending, slow, pending, timeout, granted])
    #expect(token == OAuth2Token(BearerToken("T"), refreshToken: "R"))
    #expect(seconds == [2, 4, 6, 13, 20, 34])
    #expect(shown == ["Open https://login.test/device and enter WDJB-MJHT."])
  }

  @Test(arguments: ["access_denied", "expired_token", "invalid_client"])
  func `a login that is refused ends with the server's word`(word: String) async throws {
    let error = await #expect(throws: OAuth2Error.self) { try await login([pending, { Self.error(word) }]) }
    #expect(error?.kind == .init(rawValue: word))
  }

  @Test func `a login ends with its code, also between two questions`() async throws {
    for answer in [pending, timeout] {
      let clock = ManualClock()
      let begin = clock.now
      let error = await #expect(throws: OAuth2Error.self) { try await login(clock: clock, [answer]) }
      #expect(error?.kind == .expiredToken)
      #expect(error?.message.contains("the-device-code") == false)
      #expect(begin.duration(to: clock.now) == .seconds(100))
    }
  }

  @Test(arguments: [
    "{}", #"{"device_code": "d", "user_code": "u", "expires_in": 1}"#,
    #"{"device_code": "d", "user_code": "", "verification_uri": "https://l.test", "expires_in": 1}"#,
    #"{"device_code": "d", "user_code": "u\u001b[2J", "verification_uri": "https://l.test", "expires_in": 1}"#,
    "<html>",
  ])
  func `an answer without a code that can be shown is refused`(code: String) async throws {
    let error = await #expect(throws: OAuth2Error.self) { try await login(code: code, [granted]) }
    #expect(error?.kind == .malformedResponse)
  }
}
