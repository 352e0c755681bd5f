import CurlewCore
import CurlewTestHarness
import CurlewTestSupport
import Testing

/// The checker itself: what it allows and what not.
@Suite(.timeLimit(.minutes(10))) struct DelegateOrderTests {
  private typealias Call = DelegateOrder.Call

  private static func violations(_ calls: [DelegateOrder.Call]) -> [String] {
    var order = DelegateOrder()
    return calls.compactMap { order.take($0) }
  }

  private static func space(_ realm: String) throws -> ProtectionSpace {
    ProtectionSpace(origin: try Origin(scheme: .http, host: "a.test"), scheme: "basic", realm: realm)
  }

  @Test func `every legal life is allowed`() throws {
    let space = try Self.space("a")
    let lives: [[DelegateOrder.Call]] = [
      [.response(hasParts: false), .finish],
      [.fail],
      [.cancelled],
      [.response(hasParts: false), .data(count: 1), .data(count: 2), .willCache, .finish],
      [.response(hasParts: false), .data(count: 1), .fail],
      [.response(hasParts: true), .response(hasParts: false), .data(count: 1), .response(hasParts: false), .finish],
      [.willSend(redirectStatus: nil), .willSend(redirectStatus: 302), .response(hasParts: false), .finish],
      [
        .canAuthenticate(space), .mayUseStoredCredentials(space), .challenge(space), .response(hasParts: false),
        .finish,
      ],
      [.canAuthenticate(space), .cannotAuthenticate(space), .response(hasParts: false), .finish],
      [.canAuthenticate(space), .challenge(space), .cancelChallenge(space), .fail],
      [
        .sent(bytes: 3, total: 3, expected: 9), .sent(bytes: 6, total: 9, expected: 9), .needNewBody,
        .sent(bytes: 9, total: 9, expected: 9), .response(hasParts: false), .finish,
      ],
      [.response(hasParts: false), .finish, .cancelled],
    ]
    for life in lives { #expect(Self.violations(life).isEmpty, "\(life): \(Self.violations(life))") }
  }

  @Test func `every illegal life is noticed`() throws {
    let space = try Self.space("a")
    let other = try Self.space("b")
    let head = DelegateOrder.Call.response(hasParts: false)
    let lives: [[DelegateOrder.Call]] = [
      [.finish], [.data(count: 1)], [.willCache],
      [head, .finish, .finish], [head, .finish, .fail], [.fail, .fail], [.fail, head],
      [head, head], [head, .willSend(redirectStatus: 302)], [head, .sent(bytes: 1, total: 1, expected: nil)],
      [head, .canAuthenticate(space)], [head, .needNewBody], [head, .data(count: 0)],
      [head, .willCache, .data(count: 1)], [head, .willCache, .willCache],
      [.cancelled, head], [.cancelled, .fail], [head, .cancelled, .data(count: 1)],
      [.challenge(space)], [.canAuthenticate(other), .challenge(space)],
      [.canAuthenticate(space), .cannotAuthenticate(space), .challenge(space)],
      [.cancelChallenge(space), .fail],
      [.canAuthenticate(space), .challenge(space), .cancelChallenge(other), .fail],
      [.canAuthenticate(space), .challenge(space), .cancelChallenge(space), head],
      [.willSend(redirectStatus: 200)],
      [.sent(bytes: 0, total: 0, expected: nil)], [.sent(bytes: 5, total: 5, expected: 4)],
      [.sent(bytes: 5, total: 5, expected: nil), .sent(bytes: 3, total: 9, expected: nil)],
    ]
    for life in lives { #expect(!Self.violations(life).isEmpty, "\(life)") }
  }
}
