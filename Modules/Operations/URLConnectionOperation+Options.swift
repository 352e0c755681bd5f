public import CurlewCore
public import CurlewLoading
public import Dispatch
public import Foundation

extension URLConnectionOperation {
  /// The queue of the blocks; nil means the main queue.
  ///
  /// Success and failure blocks, `completionBlock` and batches are called on it. It is read when the operation ends.
  public var completionQueue: DispatchQueue? {
    get { state.withLock { $0.setup.completionQueue } }
    set { change { $0.completionQueue = newValue } }
  }

  /// The group that the operation enters at its end and leaves after its blocks.
  ///
  /// It is entered when there is an outcome, before `isFinished` becomes true. It is read when the operation ends.
  public var completionGroup: DispatchGroup? {
    get { state.withLock { $0.setup.completionGroup } }
    set { change { $0.completionGroup = newValue } }
  }

  /// The executor of the answering blocks and of a subclass's steps.
  ///
  /// It must keep the order of its work. The default is a serial queue of the operation's own.
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

  /// The app's own values, which the exchange's interceptors find too.
  public subscript<Key: UserInfoKey>(key: Key.Type) -> Key.Value? {
    get { state.withLock { $0.setup.userInfo }?[key] }
    set { change { $0.userInfo = ($0.userInfo ?? UserInfo()).with(newValue, for: key) } }
  }

  /// The most bytes of the response to keep in memory, 0 or more.
  ///
  /// A longer body fails with `bodyTooLarge`.
  public var responseLimit: Int {
    get { state.withLock { $0.setup.responseLimit } }
    set { change { $0.responseLimit = max(0, newValue) } }
  }

  /// The destination of the body instead of memory; `responseData` is then nil.
  ///
  /// Use one sink for one operation. Each attempt opens it, so after a pause the sink must start over or continue
  /// (as `PartialSink` does).
  public var sink: (any TransferSink)? {
    get { state.withLock { $0.setup.sink } }
    set { change { $0.sink = newValue } }
  }

  /// Whether to post `Notification`s from the main queue; true by default.
  ///
  /// Each notification retains the operation until the main queue has posted it. Set this to false in a program whose main
  /// queue is not run, by a run loop or `dispatchMain`, because its operations would never be released.
  public var postsNotifications: Bool {
    get { state.withLock { $0.setup.postsNotifications } }
    set { change { $0.postsNotifications = newValue } }
  }

  // MARK: - Credentials and trust

  /// Whether stored credentials may be used, and new ones stored; true by default.
  public var shouldUseCredentialStorage: Bool {
    get { asked.usesCredentialStorage }
    set { changeAnswers { $0.usesCredentialStorage = newValue } }
  }

  /// The answer to the first challenge of the request's own origin; never archived.
  ///
  /// Neither a proxy nor a server to which the request was redirected gets it; a challenge block can answer them.
  /// The operation fails with `hookNeverAsked` if the loader's chain has no `Authentication`.
  public var credential: Credential? {
    get { asked.credential }
    set { changeAnswers { $0.credential = newValue } }
  }

  /// Evaluates the server's certificate; nil uses the loader's evaluator.
  ///
  /// CurlewSecurity's `SecurityPolicy` is one.
  public var securityPolicy: (any ServerTrustEvaluating)? {
    get { asked.policy }
    set { changeAnswers { $0.policy = newValue } }
  }

  // MARK: - Blocks

  /// Sets a block for each event of the operation, in order, on `completionQueue`.
  ///
  /// It is released at the end; a call that is refused afterwards only returns false.
  public func setEventBlock(_ block: (@Sendable (OperationEvent) -> Void)?) { change { $0.event = block } }

  /// Sets a block for the progress of the request's body.
  ///
  /// It is called at most ten times per second, and last when the whole body is sent, before the response.
  ///
  /// - Parameter executor: The executor of the block; by default the main queue.
  public func setUploadProgressBlock(
    on executor: CallbackExecutor = .queue(.main), _ block: @escaping @Sendable (TransferProgress) -> Void
  ) {
    change { $0.upload = .init(executor: executor, handler: block) }
  }

  /// Sets a block for the progress of the response's body.
  ///
  /// It is called at most ten times per second, and once at the end. After a resumption, kept bytes are included and the total
  /// is that of the whole body.
  ///
  /// - Parameter executor: The executor of the block; by default the main queue.
  public func setDownloadProgressBlock(
    on executor: CallbackExecutor = .queue(.main), _ block: @escaping @Sendable (TransferProgress) -> Void
  ) {
    change { $0.download = .init(executor: executor, handler: block) }
  }

  /// Sets a block that implements `willSend(_:redirectedBy:)`.
  ///
  /// It returns the request to send, or nil to use the 3xx as the response.
  public func setRedirectBlock(
    _ block: (@Sendable (URLConnectionOperation, _ proposed: Request, _ response: ResponseHead?) -> Request?)?
  ) {
    changeAnswers { $0.redirect = block }
  }

  /// Sets a block that implements `canAuthenticate(against:)`.
  public func setProtectionSpaceBlock(_ block: (@Sendable (URLConnectionOperation, ProtectionSpace) -> Bool)?) {
    changeAnswers { $0.protectionSpace = block }
  }

  /// Sets a block that answers each challenge in place of `credential`.
  ///
  /// That includes challenges about a server's certificate, which occur if the loader's chain has `ServerTrustAsking` and the
  /// policy has refused the certificate.
  public func setChallengeBlock(_ block: (@Sendable (URLConnectionOperation, Challenge, ChallengeReply) -> Void)?) {
    changeAnswers { $0.challenge = block }
  }

  /// Sets a block that implements `willCache(_:)`.
  public func setCacheResponseBlock(_ block: (@Sendable (URLConnectionOperation, ResponseHead) -> CacheAnswer)?) {
    changeAnswers { $0.cache = block }
  }

  /// Sets a block that implements `needNewBody(for:)`.
  public func setNewBodyBlock(_ block: (@Sendable (URLConnectionOperation, Request) -> Body?)?) {
    changeAnswers { $0.newBody = block }
  }

  // MARK: - Copying

  /// Copies what `copied()` copies beside the request.
  ///
  /// That includes the policy and the credential settings: a server that this operation refuses, its copy refuses too.
  public func copySettings(to copy: URLConnectionOperation) {
    let setup = state.withLock { $0.setup }
    copy.change { other in
      other.completionQueue = setup.completionQueue
      other.completionGroup = setup.completionGroup
      other.upload = setup.upload
      other.download = setup.download
      other.responseLimit = setup.responseLimit
      other.postsNotifications = setup.postsNotifications
      other.answers = setup.answers
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
