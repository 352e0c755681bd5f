public import CurlewCore
public import CurlewLoading
import FoundationEssentials
import HTTPTypes

extension Downloader {
  /// What a download asks for, where it goes and what is checked.
  public struct Configuration: Sendable {
    /// Makes the request of an attempt, without `Range`. Where links expire it gets a fresh one each time.
    public var request: @Sendable (AttemptContext) async throws -> Request
    /// Where the file goes.
    public var target: DownloadTarget
    /// How it is kept, checked and published.
    public var file = PartialSink.Options()
    /// Looks at a response that is a success before a byte is stored; throws to refuse it.
    public var validate: (@Sendable (ResponseHead, Request) async throws -> Void)?
    /// Whether, when and how often another attempt follows one that failed; nil makes none.
    public var retry: RetryPolicy? = .resuming
    /// Asked after an attempt that failed, as `Transfer.Configuration.shouldRetry` is; nil leaves it to the policy.
    public var shouldRetry: (@Sendable (TransferAttempt) async -> RetryDecision)?
    /// Statuses that say that a link has expired, once another link of this download, or of an earlier one to the same
    /// target, has been good. The next attempt then begins at once, with a new request. Empty where requests stay the same.
    public var expiredLinkStatuses: Set<Int>
    /// What becomes of the connection while the download is paused.
    public var pausing = PausePolicy.release(after: .zero)
    /// What the exchange may use, its deadline included; nil takes the loader's.
    public var settings: ExchangeSettings?

    /// Makes a configuration that asks for the same URL in each attempt.
    public init(_ request: Request, to target: DownloadTarget) {
      self.init(request: { _ in request }, to: target)
      expiredLinkStatuses = []
    }

    /// Makes a configuration that asks for a URL that may be another one in each attempt.
    public init(
      request: @escaping @Sendable (AttemptContext) async throws -> Request, to target: DownloadTarget
    ) {
      self.request = request
      self.target = target
      expiredLinkStatuses = [401, 403, 404, 410]
    }
  }
}

extension Downloader.Configuration {
  /// The transfer that carries it out.
  func transfer(into sink: PartialSink) -> Transfer<DownloadResult>.Configuration {
    var transfer = Transfer<DownloadResult>.Configuration(resuming: request, to: sink) { result in
      guard case .file(let path) = result.content else { throw CancellationError() }
      return DownloadResult(
        path: path, head: result.head, length: sink.state.completed, resumedFrom: await sink.resumedFrom,
        verified: await sink.verifiedDigest)
    }
    transfer.validate = { [validate] head, request in
      // A 416 is looked at by the sink: it may say that nothing is missing.
      guard head.status.kind == .successful else {
        if head.status == .rangeNotSatisfiable, request.headerFields[.range] != nil { return }
        try TransferValidation.successStatus(head)
        return
      }
      try await validate?(head, request)
    }
    transfer.retry = retry
    transfer.pausing = pausing
    transfer.settings = settings
    let (expired, own) = (expiredLinkStatuses, shouldRetry)
    let fresh = FreshLinks()
    transfer.shouldRetry = { attempt, _ in
      if RangeRestart.isAsked(by: attempt.error) { return .restart }
      if fresh.isWorth(after: attempt, expired: expired), await sink.wasAccepted {
        await sink.expectFreshLink()
        return .restart
      }
      return await own?(attempt) ?? .byPolicy
    }
    return transfer
  }
}

/// Asks for a fresh link once after each that was good.
private final class FreshLinks: Sendable {
  private let wasJustAsked = Guarded(false)

  func isWorth(after attempt: TransferAttempt, expired: Set<Int>) -> Bool {
    wasJustAsked.withLock { wasJustAsked in
      guard let status = attempt.response?.status.code, expired.contains(status) else {
        wasJustAsked = false
        return false
      }
      defer { wasJustAsked = true }
      return !wasJustAsked
    }
  }
}
