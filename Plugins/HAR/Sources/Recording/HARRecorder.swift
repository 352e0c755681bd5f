public import CurlewCore
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Writes what the observed requests do on the network to an HTTP archive (HAR 1.2), entry by entry.
///
/// Each sending is an entry: each hop, attempt and re-sending, and each answer of a cache. A HAR is read by the developer tools of
/// browsers, by proxies and by `curlew inspect`. The file is a whole document after each entry, so a program that is killed leaves one that
/// can be read.
///
/// ```swift
/// let recorder = try HARRecorder("requests.har")
/// configuration.settings.observers.append(recorder)
/// ```
/// Secrets are replaced: the recorder gets redacted events, as every observer does, and replaces what the standard redaction names in
/// addition. Content is not recorded; a `HARRecordingTransport` records it. An entry is written when its sending has been measured and the
/// request goes on or ends. What HAR has no field for is in the object `_curlew` of an entry: exchange, attempt and hop, why another
/// sending followed, the error with its kind and stage, and informational responses.
///
/// Memory is bounded: only requests under way are kept. Safe from any isolation.
public final class HARRecorder: EventObserver {
  /// How much is recorded.
  public struct Options: Sendable {
    /// The most bytes of the file, at least 1 kB; entries beyond it are dropped. 1 GiB by default.
    public var byteLimit: Int64 = 1 << 30
    /// The most requests under way that are kept, at least 1; beyond it, the entries of the oldest are written as they are. 10,000 by
    /// default.
    public var openLimit = 10_000
    /// Which secrets are replaced, in addition to those that the exchange's redaction replaces; nil records all secrets.
    public var redaction: Redaction? = .standard

    /// Creates options with their defaults.
    public init() {}
  }

  private let options: Options
  private let log: HARLog
  /// The requests under way, by the numbers of their exchanges.
  private let open = Mutex<[UInt64: OpenExchange]>([:])

  /// Creates a file for the entries, or replaces the contents of one.
  ///
  /// - Parameters:
  ///   - path: The path of the file. A new one can be read by its owner only.
  ///   - options: How much is recorded.
  /// - Throws: `FileSystemError` if the file cannot be written, is not a regular file, or is being written by another recorder.
  public init(_ path: String, options: Options = Options()) throws(FileSystemError) {
    self.options = options
    log = try HARLog(path, limit: options.byteLimit)
  }

  deinit { close() }

  /// Whether it was created without redaction.
  public var wantsSecrets: Bool { options.redaction == nil }

  /// The number of entries that were written.
  public var entryCount: Int { log.entryCount }

  /// The number of entries that were not written: beyond the limit, or after the disk had refused one.
  public var droppedCount: Int { log.droppedCount }

  /// Why an entry could not be written, such as a full disk; nil if all could.
  ///
  /// After a failure nothing more is written, and the file has the entries before it.
  public var failure: FileSystemError? { log.failure }

  /// Writes the entries of requests under way as they are; they have `"unfinished": true`.
  ///
  /// It is called when the recorder is released. Later events begin new entries.
  public func close() {
    open.withLock { open in
      for number in open.keys.sorted() { end(number, &open) }
    }
  }

  /// Records one event.
  public func observe(_ event: ExchangeEvent) {
    switch event.kind {
    case .sent, .received: return
    default: break
    }
    // Entries are written under the lock, so that those of one request stay in order.
    open.withLock { open in
      let number = event.exchange.number
      switch event.kind {
      case .started(let request):
        open[number] = OpenExchange(request, event.instant)
        if open.count > options.openLimit { evict(&open) }
        return
      case .finished(let outcome, _):
        open[number]?.end(outcome, at: event)
        return end(number, &open)
      case .sending(let request) where open[number] == nil:
        // The request began before the recorder observed it, or its transport is used without a loader.
        open[number] = OpenExchange(request, event.instant)
        if open.count > options.openLimit { evict(&open) }
      default: break
      }
      open[number]?.note(event)
      while let draft = open[number]?.popComplete() { log.write(draft, redaction: options.redaction) }
    }
  }

  private func end(_ number: UInt64, _ open: inout [UInt64: OpenExchange]) {
    guard let exchange = open.removeValue(forKey: number) else { return }
    for draft in exchange.drafts { log.write(draft, redaction: options.redaction) }
  }

  /// Ends a tenth of the open requests, the oldest first.
  private func evict(_ open: inout [UInt64: OpenExchange]) {
    for number in open.keys.sorted().prefix(max(1, options.openLimit / 10)) { end(number, &open) }
  }
}

/// The entries of one logical request that are not written yet.
struct OpenExchange: Sendable {
  private let request: Request
  private let started: ContinuousClock.Instant
  private(set) var drafts: [HARDraft] = []

  init(_ request: Request, _ started: ContinuousClock.Instant) {
    self.request = request
    self.started = started
  }

  /// Records an event of a sending, or what follows it.
  mutating func note(_ event: ExchangeEvent) {
    switch event.kind {
    case .sending(let request): drafts.append(HARDraft(request, by: event))
    case .connected(let reused): change(event) { $0.reused = reused }
    case .informational(let head): change(event) { $0.informational.append(head) }
    case .responded(let head):
      if head.source != .network {
        var request = drafts.last(where: { $0.isMeant(by: event) })?.request ?? request
        request.url = head.url
        var draft = HARDraft(
          request, at: drafts.isEmpty ? started : event.instant, exchange: event.exchange, attempt: event.attempt,
          hop: event.hop)
        draft.head = head
        draft.answered = event.instant
        drafts.append(draft)
      } else {
        change(event) { draft in
          draft.head = head
          draft.answered = event.instant
        }
      }
    case .measured(let metrics):
      guard let index = drafts.firstIndex(where: { $0.isMeant(by: event) && $0.metrics == nil }) else { return }
      drafts[index].metrics = metrics
    case .redirecting: change(event) { $0.next = .redirect }
    case .challenged: change(event) { $0.next = .challenge }
    case .resending(let error):
      change(event) { draft in
        draft.next = .resend
        draft.error = error
      }
    case .retrying(_, let wait, let error):
      guard let last = drafts.indices.last else { return }
      drafts[last].next = .retry(after: wait)
      drafts[last].error = error
    default: break
    }
  }

  private mutating func change(_ event: ExchangeEvent, _ change: (inout HARDraft) -> Void) {
    guard let index = drafts.lastIndex(where: { $0.isMeant(by: event) }) else { return }
    change(&drafts[index])
  }

  /// Removes and returns the first entry if it was measured and another sending followed.
  mutating func popComplete() -> HARDraft? {
    guard drafts.count > 1, let first = drafts.first,
      first.metrics != nil || first.head.map({ $0.source != .network }) ?? false
    else {
      return nil
    }
    return drafts.removeFirst()
  }

  /// Records the end of the request.
  ///
  /// A request that failed before anything was sent is an entry without a response.
  mutating func end(_ outcome: ExchangeEvent.Outcome, at event: ExchangeEvent) {
    if drafts.isEmpty {
      if case .success = outcome { return }
      drafts.append(HARDraft(request, at: started, exchange: event.exchange, attempt: event.attempt, hop: event.hop))
    }
    let last = drafts.count - 1
    switch outcome {
    case .success: break
    case .failure(let error): drafts[last].error = error
    case .cancelled: drafts[last].isCancelled = true
    }
  }
}
