import CurlewCore
import CurlewLoading
import Dispatch
import Foundation

/// The settings of an operation, which it releases at its end.
struct OperationSetup: Sendable {
  /// A handler and the executor on which it is called.
  struct Progress: Sendable {
    var executor: CallbackExecutor
    var handler: @Sendable (TransferProgress) -> Void
  }

  /// The app's answers to hooks.
  ///
  /// They are on the heap, because few operations have any.
  final class Answers: Sendable {
    let values: Values
    init(_ values: Values) { self.values = values }

    struct Values: Sendable {
      var redirect: (@Sendable (URLConnectionOperation, Request, ResponseHead?) -> Request?)?
      var protectionSpace: (@Sendable (URLConnectionOperation, ProtectionSpace) -> Bool)?
      var challenge: (@Sendable (URLConnectionOperation, Challenge, ChallengeReply) -> Void)? {
        didSet { answerer = .new() }
      }
      /// Whose answers `challenge` gives; copies of the operation keep it.
      private(set) var answerer: ChallengeAnswerer?
      var cache: (@Sendable (URLConnectionOperation, ResponseHead) -> CacheAnswer)?
      var newBody: (@Sendable (URLConnectionOperation, Request) -> Body?)?
      var credential: Credential?
      var usesCredentialStorage = true
      var policy: (any ServerTrustEvaluating)?
      var executor: CallbackExecutor?
      var runLoopModes: Set<RunLoop.Mode> = []
    }
  }

  var completionQueue: DispatchQueue?
  var completionGroup: DispatchGroup?
  var completion: (@Sendable () -> Void)?
  var success: (@Sendable (URLConnectionOperation, any Sendable) -> Void)?
  var failure: (@Sendable (URLConnectionOperation, any Error) -> Void)?
  var event: (@Sendable (OperationEvent) -> Void)?
  var upload: Progress?
  var download: Progress?
  var answers: Answers?
  var sink: (any TransferSink)?
  var userInfo: UserInfo?
  var postsNotifications = true
  var responseLimit = URLConnectionOperation.defaultResponseLimit

  /// The app's answers, read or replaced as a whole.
  var asked: Answers.Values {
    get { answers?.values ?? Answers.Values() }
    set { answers = Answers(newValue) }
  }

  private static let main = CallbackExecutor.queue(.main)

  /// The executor of completion blocks and events.
  var completionExecutor: CallbackExecutor { completionQueue.map { .queue($0) } ?? Self.main }
}
