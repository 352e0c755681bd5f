public import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

/// Writes what the observed requests do on the network to an HTTP archive (HAR 1.2), entry by entry.
///
/// Each sending is an entry: each hop, attempt and re-sending, and each answer of a cache. A HAR is read by the developer tools of
/// browsers, by proxies and by `curlew inspect`. Entries are written at once, on a thread of the recorder's own, and the file is a whole
/// document after each write. So a program that is killed leaves one that can be read, which lacks what happened in its last moment.
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
/// Memory is bounded: requests under way are kept, and 4 MiB of entries that wait for the disk. If more wait, the tasks of requests wait
/// too; a transport's thread never does, and drops what it would add beyond 8 MiB. Safe from any isolation.
public final class HARRecorder: EventObserver {
  /// How much is recorded.
  public struct Options: Sendable {
    /// The most bytes of the file, at least 1 kB; entries beyond it are dropped. 256 MiB by default, what `HARDocument` reads.
    public var byteLimit = Int64(HARDocument.byteLimit)
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
  /// How many threads write entries that are no longer in `open`; it grows under that lock.
  private let writing = Atomic(0)

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

  /// The number of entries that were written, or wait for the disk.
  public var entryCount: Int { log.writer.entryCount }

  /// The number of entries that were not written: beyond a limit, or after the disk had refused one.
  public var droppedCount: Int { log.writer.droppedCount }

  /// Why an entry could not be written, such as a full disk; nil if all could.
  ///
  /// After a failure nothing more is written, and the file has the entries before it.
  public var failure: FileSystemError? { log.writer.failure }

  /// Writes the entries of requests under way as they are, with `"unfinished": true`, and waits until all entries are in the file.
  ///
  /// It is called when the recorder is released. Later events begin new entries.
  public func close() {
    write(
      open.withLock { open in
        defer { open = [:] }
        writing.add(1, ordering: .relaxed)
        return open.keys.sorted().flatMap { open[$0]?.drafts ?? [] }
      })
    // An entry that another thread is writing, which takes microseconds, is one of those before.
    while writing.load(ordering: .acquiring) > 0 { usleep(100) }
    log.writer.finish()
  }

  /// Records one event.
  public func observe(_ event: ExchangeEvent) {
    switch event.kind {
    case .sent, .received: return
    default: break
    }
    write(
      open.withLock { open in
        writing.add(1, ordering: .relaxed)
        return note(event, in: &open)
      })
  }

  /// Writes entries, outside the lock: the events of one request come one after the other, and so do its entries.
  private func write(_ drafts: [HARDraft]) {
    for draft in drafts { log.write(draft, redaction: options.redaction) }
    writing.subtract(1, ordering: .releasing)
    if !drafts.isEmpty { log.writer.catchUp() }
  }

  /// Records an event, and returns the entries that are complete.
  private func note(_ event: ExchangeEvent, in open: inout [UInt64: OpenExchange]) -> [HARDraft] {
    let number = event.exchange.number
    switch event.kind {
    case .started(let request):
      open[number] = OpenExchange(request, event.instant)
      return evicted(&open)
    case .finished(let outcome, _):
      guard var exchange = open.removeValue(forKey: number) else { return [] }
      exchange.end(outcome, at: event)
      return exchange.drafts
    case .sending(let request) where open[number] == nil:
      // The request began before the recorder observed it, or its transport is used without a loader.
      open[number] = OpenExchange(request, event.instant)
    default: break
    }
    guard let place = open.index(forKey: number) else { return [] }
    open.values[place].note(event)
    return open.values[place].takeComplete() + evicted(&open)
  }

  /// Removes and returns the entries of a tenth of the open requests, the oldest first, if there are too many.
  private func evicted(_ open: inout [UInt64: OpenExchange]) -> [HARDraft] {
    guard open.count > options.openLimit else { return [] }
    return open.keys.sorted().prefix(max(1, options.openLimit / 10)).flatMap {
      open.removeValue(forKey: $0)?.drafts ?? []
    }
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
    case .sending(let request):
      // A pause had released the connection of the attempt before.
      if let last = drafts.indices.last, !drafts[last].pauses.isEmpty, drafts[last].next == nil,
        drafts[last].attempt < event.attempt
      {
        drafts[last].next = .resumption
      }
      drafts.append(HARDraft(request, by: event))
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
    case .paused:
      if let last = drafts.indices.last { drafts[last].pause(at: event.instant) }
    case .resumed:
      if let last = drafts.indices.last { drafts[last].resume(at: event.instant) }
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

  /// Removes and returns the first entries that were measured and that another sending followed.
  mutating func takeComplete() -> [HARDraft] {
    guard drafts.count > 1 else { return [] }
    let complete = drafts.dropLast().prefix { draft in
      draft.metrics != nil || draft.head.map { $0.source != .network } ?? false
    }
    defer { drafts.removeFirst(complete.count) }
    return Array(complete)
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
