public import CurlewCore
public import CurlewLoading
public import Dispatch
public import Foundation

extension URLConnectionOperation {
  /// Where the success and failure blocks, `completionBlock` and batches are called; nil is the main queue.
  ///
  /// Read when the operation ends.
  public var completionQueue: DispatchQueue? {
    get { state.withLock { $0.setup.completionQueue } }
    set { change { $0.completionQueue = newValue } }
  }

  /// Entered when the outcome is there, before `isFinished` reads true, and left when all blocks have run.
  ///
  /// Read when the operation ends.
  public var completionGroup: DispatchGroup? {
    get { state.withLock { $0.setup.completionGroup } }
    set { change { $0.completionGroup = newValue } }
  }

  /// Where the answering blocks and the steps of a subclass run; it must keep the order of its work.
  ///
  /// A serial queue of the operation's own unless set.
  public var callbackExecutor: CallbackExecutor? {
    get { asked.executor }
    set {
      changeAnswers { answers in
        answers.executor = newValue
        answers.runLoopModes = []
      }
    }
  }

  /// The modes of the main run loop in which the answering blocks and the steps of a subclass run; empty for none of them.
  ///
  /// Setting it sets `callbackExecutor` to `mainRunLoop(in:)`, or back to a queue of the operation's own. `[.common]` is what
  /// AFNetworking had; its limits are those of `mainRunLoop(in:)`.
  public var runLoopModes: Set<RunLoop.Mode> {
    get { asked.runLoopModes }
    set {
      changeAnswers { answers in
        answers.executor = newValue.isEmpty ? nil : .mainRunLoop(in: newValue)
        answers.runLoopModes = newValue
      }
    }
  }

  /// Values of the app's own, which the exchange's interceptors find too.
  public subscript<Key: UserInfoKey>(key: Key.Type) -> Key.Value? {
    get { state.withLock { $0.setup.userInfo }?[key] }
    set { change { $0.userInfo = ($0.userInfo ?? UserInfo()).with(newValue, for: key) } }
  }

  /// The most bytes of the response that are kept in memory, 0 or more; a longer body fails with `bodyTooLarge`.
  public var responseLimit: Int {
    get { state.withLock { $0.setup.responseLimit } }
    set { change { $0.responseLimit = max(0, newValue) } }
  }

  /// Where the body goes in place of memory; `responseData` is nil then.
  ///
  /// A sink belongs to one operation. Each attempt opens it, so one that is opened again after a pause has to begin anew or
  /// to continue (`ResumableSink`).
  public var sink: (any TransferSink)? {
    get { state.withLock { $0.setup.sink } }
    set { change { $0.sink = newValue } }
  }

  /// Whether `Notification`s are posted, from the main queue; true unless set.
  ///
  /// Each holds the operation until the main queue has posted it. Set false in a program whose main queue nobody runs, neither
  /// a run loop nor `dispatchMain`, since its operations would never be released.
  public var postsNotifications: Bool {
    get { state.withLock { $0.setup.postsNotifications } }
    set { change { $0.postsNotifications = newValue } }
  }

  // MARK: - Credentials and trust

  /// Whether stored credentials may be used, and new ones kept; true unless set.
  public var shouldUseCredentialStorage: Bool {
    get { asked.usesCredentialStorage }
    set { changeAnswers { $0.usesCredentialStorage = newValue } }
  }

  /// The answer to the first challenge for credentials; never archived.
  ///
  /// The operation fails with `hookNeverAsked` where the loader's chain has no `Authentication`.
  public var credential: Credential? {
    get { asked.credential }
    set { changeAnswers { $0.credential = newValue } }
  }

  /// Decides about the server's certificate, such as CurlewSecurity's `SecurityPolicy`; nil is the loader's.
  public var securityPolicy: (any ServerTrustEvaluating)? {
    get { asked.policy }
    set { changeAnswers { $0.policy = newValue } }
  }

  // MARK: - Blocks

  /// Calls a block with each event of the operation, in order, on `completionQueue`.
  ///
  /// It is let go at the end; a call that is refused after that only answers false.
  public func setEventBlock(_ block: (@Sendable (OperationEvent) -> Void)?) { change { $0.event = block } }

  /// Calls a block as bytes of the request's body are sent, at most ten times a second.
  ///
  /// - Parameter executor: Where it is called; the main queue unless given.
  public func setUploadProgressBlock(
    on executor: CallbackExecutor = .queue(.main), _ block: @escaping @Sendable (TransferProgress) -> Void
  ) {
    change { $0.upload = .init(executor: executor, handler: block) }
  }

  /// Calls a block as bytes of the response's body arrive, at most ten times a second and once at the end.
  ///
  /// After a resumption the bytes that were kept count, and the total is that of the whole body.
  ///
  /// - Parameter executor: Where it is called; the main queue unless given.
  public func setDownloadProgressBlock(
    on executor: CallbackExecutor = .queue(.main), _ block: @escaping @Sendable (TransferProgress) -> Void
  ) {
    change { $0.download = .init(executor: executor, handler: block) }
  }

  /// Answers `willSend(_:redirectedBy:)`: what to send in place of the request, or nil for the 3xx as the response.
  public func setRedirectBlock(
    _ block: (@Sendable (URLConnectionOperation, _ proposed: Request, _ response: ResponseHead?) -> Request?)?
  ) {
    changeAnswers { $0.redirect = block }
  }

  /// Answers `canAuthenticate(against:)`.
  public func setProtectionSpaceBlock(_ block: (@Sendable (URLConnectionOperation, ProtectionSpace) -> Bool)?) {
    changeAnswers { $0.protectionSpace = block }
  }

  /// Answers each challenge in place of `credential`, those about a server's certificate included.
  ///
  /// The latter come where the loader's chain has `ServerTrustAsking` and the policy has refused the certificate.
  public func setChallengeBlock(_ block: (@Sendable (URLConnectionOperation, Challenge, ChallengeReply) -> Void)?) {
    changeAnswers { $0.challenge = block }
  }

  /// Answers `willCache(_:)`.
  public func setCacheResponseBlock(_ block: (@Sendable (URLConnectionOperation, ResponseHead) -> CacheAnswer)?) {
    changeAnswers { $0.cache = block }
  }

  /// Answers `needNewBody(for:)`.
  public func setNewBodyBlock(_ block: (@Sendable (URLConnectionOperation, Request) -> Body?)?) {
    changeAnswers { $0.newBody = block }
  }

  // MARK: - Copying

  /// Gives a copy the blocks and the queues that copies have.
  public func copySettings(to copy: URLConnectionOperation) {
    let setup = state.withLock { $0.setup }
    copy.change { other in
      other.completionQueue = setup.completionQueue
      other.completionGroup = setup.completionGroup
      other.upload = setup.upload
      other.download = setup.download
      other.responseLimit = setup.responseLimit
      other.postsNotifications = setup.postsNotifications
      guard let answers = setup.answers?.values else { return }
      other.asked.redirect = answers.redirect
      other.asked.protectionSpace = answers.protectionSpace
      other.asked.challenge = answers.challenge
      other.asked.cache = answers.cache
      other.asked.newBody = answers.newBody
      other.asked.executor = answers.executor
      other.asked.runLoopModes = answers.runLoopModes
    }
  }

  private var asked: OperationSetup.Answers.Values { state.withLock { $0.setup.asked } }

  private func changeAnswers(_ change: @Sendable (inout OperationSetup.Answers.Values) -> Void) {
    self.change { change(&$0.asked) }
  }
}

extension UserInfo {
  fileprivate func with<Key: UserInfoKey>(_ value: Key.Value?, for key: Key.Type) -> UserInfo {
    var copy = self
    copy[key] = value
    return copy
  }
}
