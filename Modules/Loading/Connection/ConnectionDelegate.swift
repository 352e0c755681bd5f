public import CurlewCore
public import FoundationEssentials

/// Receives the events of a `Connection` and answers its questions.
///
/// The connection calls it on its executor, one method at a time, in this order:
/// 1. While the request is in progress, as often as necessary: `willSend` for a redirect or a canonical form; for each
///   challenge `canAuthenticate` and, if that returns true, `didReceive challenge`; `mayUseStoredCredentials`;
///   `didSendBodyData`; `needNewBody`.
/// 2. `didReceive response`, and `didReceive data` for each piece of the body. Each part of a `multipart/x-mixed-replace`
///   begins with another response, which replaces everything before it.
/// 3. `willCache`, if a cache would store the response.
/// 4. Exactly one of `didFinish` and `didFail`. If a challenge is open, `didCancel challenge` precedes `didFail`.
///
/// No call follows the end or `Connection.cancel()`. The connection retains its delegate until then. No call may wait for
/// another one, because they are serial. Every method has a default implementation.
public protocol ConnectionDelegate: AnyObject, Sendable {
  /// Called before a request is sent in place of the previous one.
  ///
  /// Default: the proposed request.
  ///
  /// - Parameter response: The 3xx; nil if the request was only converted to canonical form.
  /// - Returns: The request to send; nil stops and makes the 3xx the response.
  func connection(_ connection: Connection, willSend request: Request, redirectedBy response: ResponseHead?) -> Request?
  /// Returns whether challenges of a protection space can be answered at all.
  ///
  /// Default: true.
  func connection(_ connection: Connection, canAuthenticateAgainst space: ProtectionSpace) -> Bool
  /// Returns whether stored credentials may be used, and new ones stored.
  ///
  /// Default: true.
  func connection(_ connection: Connection, mayUseStoredCredentialsFor space: ProtectionSpace) -> Bool
  /// Called when a server or proxy asks for credentials.
  ///
  /// Default: `defaultHandling`. What it answered is used for this connection only: each connection asks.
  ///
  /// - Parameter reply: Receives the answer, now or later, from any thread.
  func connection(_ connection: Connection, didReceive challenge: Challenge, reply: ChallengeReply)
  /// Called when the challenge needs no answer any more; the connection fails.
  func connection(_ connection: Connection, didCancel challenge: Challenge)
  /// Called when bytes of the request's body were sent, before the response.
  ///
  /// It is called at most ten times per second.
  ///
  /// - Parameters:
  ///   - bytes: The number of bytes since the last call.
  ///   - total: The number of bytes so far; starts over when the request is sent again.
  ///   - expected: The number of bytes in total; nil if unknown.
  func connection(_ connection: Connection, didSendBodyData bytes: Int64, total: Int64, expected: Int64?)
  /// Returns a new body in place of one that can only be sent once.
  ///
  /// Default: nil, which fails the connection.
  func connection(_ connection: Connection, needNewBodyFor request: Request) -> Body?
  /// Called when a head has arrived; discard everything that came before it.
  func connection(_ connection: Connection, didReceive response: ResponseHead)
  /// Called with a piece of the body; the next is read after this returns.
  func connection(_ connection: Connection, didReceive data: Data)
  /// Called before a cache stores the response. Default: store it as proposed.
  func connection(_ connection: Connection, willCache response: ResponseHead) -> CacheAnswer
  /// Called when the response is complete.
  func connectionDidFinishLoading(_ connection: Connection)
  /// Called when the connection has failed; the response is then incomplete.
  ///
  /// The error is a `NetworkError`, or an error of the app's own.
  func connection(_ connection: Connection, didFailWith error: any Error)
}

extension ConnectionDelegate {
  /// Returns the proposed request.
  public func connection(
    _ connection: Connection, willSend request: Request, redirectedBy response: ResponseHead?
  ) -> Request? { request }
  /// Returns true.
  public func connection(_ connection: Connection, canAuthenticateAgainst space: ProtectionSpace) -> Bool { true }
  /// Returns true.
  public func connection(_ connection: Connection, mayUseStoredCredentialsFor space: ProtectionSpace) -> Bool { true }
  /// Answers with the default handling.
  public func connection(_ connection: Connection, didReceive challenge: Challenge, reply: ChallengeReply) {
    reply(.defaultHandling)
  }
  /// Does nothing.
  public func connection(_ connection: Connection, didCancel challenge: Challenge) {}
  /// Does nothing.
  public func connection(_ connection: Connection, didSendBodyData bytes: Int64, total: Int64, expected: Int64?) {}
  /// Returns nil: there is no new body.
  public func connection(_ connection: Connection, needNewBodyFor request: Request) -> Body? { nil }
  /// Does nothing.
  public func connection(_ connection: Connection, didReceive response: ResponseHead) {}
  /// Does nothing.
  public func connection(_ connection: Connection, didReceive data: Data) {}
  /// Stores the response as proposed.
  public func connection(_ connection: Connection, willCache response: ResponseHead) -> CacheAnswer { .store }
  /// Does nothing.
  public func connectionDidFinishLoading(_ connection: Connection) {}
  /// Does nothing.
  public func connection(_ connection: Connection, didFailWith error: any Error) {}
}
