public import CurlewCore
public import FoundationEssentials

/// Is told what happens on a `Connection`, and answers its questions.
///
/// Called on the connection's executor, one call after the other, in this order:
/// 1. while the request is under way, as often as needed: `willSend` (a redirect, or a canonical form), then for each
///    challenge `canAuthenticate` and, where that says yes, `didReceive challenge`; `mayUseStoredCredentials`;
///    `didSendBodyData`; `needNewBody`;
/// 2. `didReceive response`, and `didReceive data` for each piece of the body. A `multipart/x-mixed-replace` has a response
///    again for each of its parts, which replaces what came before;
/// 3. `willCache`, where a cache would store the response;
/// 4. exactly one of `didFinish` and `didFail`; before the latter `didCancel challenge` where one was open.
///
/// Nothing follows the end, and nothing follows `Connection.cancel()`. The connection holds its delegate until then and
/// lets it go afterwards. No call may wait for another: they are serial. Every method has a default.
public protocol ConnectionDelegate: AnyObject, Sendable {
  /// A request is about to be sent in place of the one before. Default: as proposed.
  ///
  /// - Parameter response: The 3xx; nil where the request was only put into canonical form.
  /// - Returns: What to send; nil to stop, which makes the 3xx the response.
  func connection(_ connection: Connection, willSend request: Request, redirectedBy response: ResponseHead?) -> Request?
  /// Whether challenges of a protection space can be answered at all. Default: yes.
  func connection(_ connection: Connection, canAuthenticateAgainst space: ProtectionSpace) -> Bool
  /// Whether credentials that are stored may be used, and new ones kept. Default: yes.
  func connection(_ connection: Connection, mayUseStoredCredentialsFor space: ProtectionSpace) -> Bool
  /// A server or proxy asks for credentials. Default: `defaultHandling`.
  ///
  /// - Parameter reply: Takes the answer, now or later, from any thread.
  func connection(_ connection: Connection, didReceive challenge: Challenge, reply: ChallengeReply)
  /// The answer to this challenge is not needed any more; the connection fails.
  func connection(_ connection: Connection, didCancel challenge: Challenge)
  /// Bytes of the request's body went, at most ten times a second, until the response comes.
  ///
  /// - Parameters:
  ///   - bytes: How many since the last call.
  ///   - total: How many of this sending; begins anew when the request is sent again.
  ///   - expected: How many it will be; nil when that is not known.
  func connection(_ connection: Connection, didSendBodyData bytes: Int64, total: Int64, expected: Int64?)
  /// A body that can be sent once is needed again. Default: there is none, and the connection fails.
  func connection(_ connection: Connection, needNewBodyFor request: Request) -> Body?
  /// A head arrived: what came before it is to be forgotten.
  func connection(_ connection: Connection, didReceive response: ResponseHead)
  /// A piece of the body arrived; the next one is not read before this returns.
  func connection(_ connection: Connection, didReceive data: Data)
  /// A cache would store the response. Default: as proposed.
  func connection(_ connection: Connection, willCache response: ResponseHead) -> CacheAnswer
  /// All of it is there.
  func connectionDidFinishLoading(_ connection: Connection)
  /// It failed: `NetworkError`, or an error of the app's own. What came before is incomplete.
  func connection(_ connection: Connection, didFailWith error: any Error)
}

extension ConnectionDelegate {
  /// As proposed.
  public func connection(
    _ connection: Connection, willSend request: Request, redirectedBy response: ResponseHead?
  ) -> Request? { request }
  /// Yes.
  public func connection(_ connection: Connection, canAuthenticateAgainst space: ProtectionSpace) -> Bool { true }
  /// Yes.
  public func connection(_ connection: Connection, mayUseStoredCredentialsFor space: ProtectionSpace) -> Bool { true }
  /// What would happen without a delegate.
  public func connection(_ connection: Connection, didReceive challenge: Challenge, reply: ChallengeReply) {
    reply(.defaultHandling)
  }
  /// Nothing.
  public func connection(_ connection: Connection, didCancel challenge: Challenge) {}
  /// Nothing.
  public func connection(_ connection: Connection, didSendBodyData bytes: Int64, total: Int64, expected: Int64?) {}
  /// None.
  public func connection(_ connection: Connection, needNewBodyFor request: Request) -> Body? { nil }
  /// Nothing.
  public func connection(_ connection: Connection, didReceive response: ResponseHead) {}
  /// Nothing.
  public func connection(_ connection: Connection, didReceive data: Data) {}
  /// As proposed.
  public func connection(_ connection: Connection, willCache response: ResponseHead) -> CacheAnswer { .store }
  /// Nothing.
  public func connectionDidFinishLoading(_ connection: Connection) {}
  /// Nothing.
  public func connection(_ connection: Connection, didFailWith error: any Error) {}
}
