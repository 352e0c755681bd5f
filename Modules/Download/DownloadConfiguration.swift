public import CurlewCore
public import CurlewLoading
import FoundationEssentials
import HTTPTypes

/// What a download requests, where it is stored and how it is verified.
public struct DownloadConfiguration: Sendable {
  /// Returns the request of an attempt, without `Range`.
  ///
  /// If links expire, it returns a fresh link for each attempt. Bytes of an earlier link are joined if `expiredLinkStatuses` is
  /// not empty, and validator and length are the same.
  public var request: @Sendable (AttemptContext) async throws -> Request
  /// The location of the file.
  public var target: DownloadTarget
  /// How the file is kept, verified and published.
  public var file = PartialSink.Options()
  /// Checks a successful response before a byte is stored; throws to refuse it.
  public var validate: (@Sendable (ResponseHead, Request) async throws -> Void)?
  /// Whether, when and how often to retry a failed attempt; nil never retries.
  public var retry: RetryPolicy? = .resuming
  /// Decides about a retry after a failed attempt; nil leaves it to the policy.
  ///
  /// It is asked with the attempt that failed, its error and its response, as `Transfer.Configuration.shouldRetry` is.
  public var shouldRetry: (@Sendable (TransferAttempt) async -> RetryDecision)?
  /// The statuses that mean that a link has expired.
  ///
  /// Servers sign links that expire, and answer such a status later. If a link to the target has worked before, in this
  /// download or in an earlier one, the next attempt begins at once and asks for a new request, with a fresh link. Leave it
  /// empty if all requests are the same.
  public var expiredLinkStatuses: Set<Int>
  /// What happens to the connection while the download is paused.
  public var pausing = PausePolicy.release(after: .zero)
  /// The settings of the exchange, including its deadline; nil uses the loader's.
  public var settings: ExchangeSettings?
  /// Whether the request has a fresh link to the file of an earlier download.
  package var renewsLink = false
  /// Whether another attempt is possible without a new body.
  private var isReplayable = true
  /// Where the progress is published; nil creates boards.
  package var boards: TransferBoards?

  /// Creates a configuration that sends the same request in each attempt.
  ///
  /// For a body that can only be sent once, `ExchangeHooks.newBody` is asked for another; without one there is no other attempt.
  public init(_ request: Request, to target: DownloadTarget) {
    self.init(request: RepeatedRequest.make(request), to: target)
    isReplayable = request.body.isReplayable
    expiredLinkStatuses = []
  }

  /// Creates a configuration whose URL may differ in each attempt.
  public init(
    request: @escaping @Sendable (AttemptContext) async throws -> Request, to target: DownloadTarget
  ) {
    self.request = request
    self.target = target
    expiredLinkStatuses = [401, 403, 404, 410]
  }
}

extension DownloadConfiguration {
  /// Creates the sink that stores the file.
  package func sink(on disk: DownloadDisk) -> PartialSink {
    var options = file
    options.renewsLink = renewsLink || !expiredLinkStatuses.isEmpty
    return PartialSink(target, options: options, on: disk)
  }

  /// Returns the configuration of the transfer that performs the download.
  ///
  /// - Parameter make: Makes the transfer's value of the file.
  package func transfer<Value>(
    into sink: PartialSink, _ make: @escaping @Sendable (DownloadResult) -> Value
  ) -> Transfer<Value>.Configuration {
    var transfer = Transfer<Value>.Configuration(request: request, to: sink) { make(try await sink.result(of: $0)) }
    transfer.validate = { [validate] head, request in
      // The sink examines a 416, which may mean that nothing is missing.
      if head.status == .rangeNotSatisfiable, request.headerFields[.range] != nil { return }
      try TransferValidation.successStatus(head)
      try await validate?(head, request)
    }
    transfer.isReplayable = isReplayable
    transfer.retry = retry
    transfer.pausing = pausing
    transfer.settings = settings
    transfer.boards = boards
    let (expired, own) = (expiredLinkStatuses, shouldRetry)
    let wasJustAsked = Guarded(false)
    transfer.shouldRetry = { attempt, _ in
      // A fresh link is requested once after each link that worked.
      let isExpired = attempt.response.map { expired.contains($0.status.code) } ?? false
      let isFirst = wasJustAsked.withLock { wasAsked in
        defer { wasAsked = isExpired }
        return !wasAsked
      }
      if isExpired, isFirst, await sink.wasAccepted {
        await sink.expectFreshLink()
        return .restart
      }
      return await own?(attempt) ?? .byPolicy
    }
    return transfer
  }
}

extension RetryPolicy {
  /// A policy for resumable downloads: three retries after each byte of progress.
  ///
  /// A long download over a bad line therefore ends only when the line is dead.
  public static var resuming: RetryPolicy {
    var policy = RetryPolicy(limit: 3)
    policy.startsOverWithProgress = true
    return policy
  }
}
