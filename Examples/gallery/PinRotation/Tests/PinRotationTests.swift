import Curlew
import CurlewTestSupport
import FoundationEssentials
import Synchronization
import Testing

@testable import PinRotation

/// A server that changes its key while the app stays as it is.
@Suite(.timeLimit(.minutes(10))) struct PinRotationTests {
  private let authority: TestIdentity
  private let today: TestIdentity
  private let tomorrow: TestIdentity
  /// Its certificate is as valid as the others, and its key is in no plan.
  private let stranger: TestIdentity

  init() throws {
    authority = try .authority()
    (today, tomorrow, stranger) = (try authority.issue(), try authority.issue(), try authority.issue())
  }

  private func pin(of identity: TestIdentity) throws -> PublicKeyPin {
    try PublicKeyPin(try #require(identity.certificate.pin))
  }

  private func plan(until end: Date? = nil) throws -> PinPlan {
    PinPlan(current: [try pin(of: today)], backups: [try pin(of: tomorrow)], end: end)
  }

  /// Fetches from a server with an identity; returns the pins that the watch reported.
  private func fetch(
    from identity: TestIdentity, by plan: PinPlan, report: @escaping @Sendable (TrustReport) -> Void = { _ in }
  ) async throws -> [PublicKeyPin] {
    let origin = try await ScriptedOrigin.start(tls: OriginTLS(identity)) { _ in .ok("hello") }
    let moved = Mutex<[PublicKeyPin]>([])
    let root = try Certificate(der: Data(authority.root.der))
    let policy = try plan.policy(anchors: .only([root]), report: report)
    let session = try HTTPSession(baseURL: origin.address("/", host: "localhost")) { configuration in
      configuration.settings.serverTrust = RotationWatch(policy: policy) { pin in moved.withLock { $0.append(pin) } }
    }
    do {
      #expect(try await session.get("greeting", .string) == "hello")
    } catch {
      await origin.stop()
      throw error
    }
    await origin.stop()
    return moved.withLock { $0 }
  }

  @Test func `the key of today is trusted, and there is nothing to report`() async throws {
    #expect(try await fetch(from: today, by: plan()).isEmpty)
  }

  @Test func `after the change of keys the backup is trusted, and the app learns of it`() async throws {
    #expect(try await fetch(from: tomorrow, by: plan()) == [pin(of: tomorrow)])
  }

  @Test func `a valid certificate with another key is refused and reported`() async throws {
    let reports = Mutex<[String]>([])
    let error = await #expect(throws: NetworkError.self) {
      try await fetch(from: stranger, by: plan()) { report in reports.withLock { $0.append(report.trust.host) } }
    }
    #expect(error?.kind == .serverTrustRefused && error?.details.trust?.reason == .pinMismatch)
    #expect(reports.withLock { $0 } == ["localhost"])
  }

  @Test func `when the plan has ended, the chain alone decides`() async throws {
    #expect(try await fetch(from: stranger, by: plan(until: Date(timeIntervalSinceNow: -1))).isEmpty)
    let other = try TestIdentity.authority().issue()
    let error = await #expect(throws: NetworkError.self) {
      try await fetch(from: other, by: plan(until: Date(timeIntervalSinceNow: -1)))
    }
    #expect(error?.details.trust?.reason == .untrusted)
  }
}
