public import CurlewCore
public import CurlewDownload
import CurlewLoading
public import CurlewRequests
import CurlewSerialization
public import CurlewSession
public import FoundationEssentials

/// Downloads and uploads of files that go on when the program starts again.
///
/// A session has an identifier. Its journal stores each transfer before anything is sent, so a program that ends in any way,
/// and later creates the session with the same identifier, continues what was not finished. On Linux no system process works
/// meanwhile; the bytes that were stored are kept. Completion handlers do not survive a process, so the end of a transfer is
/// told to a `BackgroundHandler`, which is found by its name:
///
/// ```swift
/// var names = ComponentNames()
/// let atlas = ComponentName<BackgroundHandler>("atlas")
/// names[atlas] = BackgroundHandler { end in await shelf.add(end) }
/// let background = try await BackgroundSession("maps", in: "/var/lib/app", of: manager, names: names)
/// let task = try await background.downloadTask(with: request, to: .file("/srv/atlas.zip"), handler: atlas)
/// task.resume()
/// ```
///
/// The tasks are those of `manager`: its hooks, events and notifications work as for others. A task that was never resumed, or
/// was suspended, is suspended after a restart, too; any other one is resumed. The journal stores a `resume` some milliseconds
/// after the call, so a program that may be killed in between looks at the state of `tasks` when it opens the session. When the last transfer has ended and its handler has returned,
/// `URLSessionManager.sessionDidFinishBackgroundEvents()` is called. A session lives until its transfers have ended or `close`
/// was called. Paths should be absolute, because the next process may have another working directory.
public final class BackgroundSession: Sendable {
  struct State: WaitableState {
    var tasks: [Int: SessionTask] = [:]
    /// The transfers that have not been delivered.
    var pending: Set<Int> = []
    var isClosed = false
    var waiters = Waiters()
  }

  /// The most bytes of the response to an upload.
  static let responseLimit = 1 << 20

  /// The identifier.
  public let identifier: String
  /// The manager that creates the tasks.
  public let manager: URLSessionManager
  let journal: BackgroundJournal
  let names: ComponentNames
  let state = Guarded(State())

  /// Opens a session, and resumes the transfers that an earlier process has left.
  ///
  /// - Parameters:
  ///   - identifier: The name of the session, and of its journal: up to 100 letters, digits, `-`, `_` and `.`.
  ///   - directory: The directory of the journal, which must exist.
  ///   - manager: Creates the tasks. It should be configured like that of the earlier process.
  ///   - names: The handlers by their names, among them those of the transfers that go on.
  /// - Throws: `NetworkError` of kind `sessionInUse`; `unknownComponent` if a stored transfer names a handler that is not
  ///   registered, in which case nothing is sent; `invalidRequest` for another identifier; `fileError`.
  public init(
    _ identifier: String, in directory: String, of manager: URLSessionManager, names: ComponentNames
  ) async throws {
    try Self.check(identifier)
    self.identifier = identifier
    self.manager = manager
    self.names = names
    let opened = try await BackgroundJournal.open("\(directory)/\(identifier).curlew-background")
    journal = opened.0
    let left = opened.1
    do {
      for transfer in left { _ = try names.component(transfer.handler) }
    } catch {
      await journal.close()
      throw error
    }
    state.withLock { $0.pending = Set(left.map(\.number)) }
    await withTaskGroup { group in
      for transfer in left { group.addTask { await self.restore(transfer) } }
    }
  }

  /// The tasks that have not ended, in the order of their creation.
  public var tasks: [SessionTask] {
    state.withLock { $0.tasks }.sorted { $0.key < $1.key }.map(\.value).filter { $0.state != .completed }
  }

  /// Creates a suspended task that downloads a file.
  ///
  /// The session has stored the transfer when this returns.
  ///
  /// - Parameters:
  ///   - target: The location of the file: a path, or a directory.
  ///   - replaces: Whether an existing file is replaced; otherwise it is the error `targetExists`.
  ///   - handler: The name of the handler of the end.
  ///   - includesSecrets: Whether credentials in the request are stored. The journal can be read by its owner only.
  /// - Throws: `NetworkError` of kind `unknownComponent`; `invalidRequest` for a request with credentials that are neither
  ///   stored nor completed by the handler; `unsupported` for a target whose path a function chooses; `fileError`.
  public func downloadTask(
    with request: Request, to target: DownloadTarget, replaces: Bool = false,
    handler: ComponentName<BackgroundHandler>, includesSecrets: Bool = false
  ) async throws -> DownloadTask {
    let transfer = try await add(
      request, .download(target, replaces: replaces), handler, includesSecrets: includesSecrets)
    return makeDownload(transfer, target, replaces: replaces)
  }

  /// Creates a suspended task that uploads a file.
  ///
  /// The file must stay as it is until the end. After a restart it is sent again from its beginning. A request that must not be
  /// repeated, such as a `POST`, ends with the kind `connectionLost` instead if it may have reached the server.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - repeatsUnsafe: Whether such a request is sent again all the same.
  ///   - handler: The name of the handler of the end.
  ///   - includesSecrets: Whether credentials in the request are stored.
  /// - Throws: The errors of `downloadTask(with:to:replaces:handler:includesSecrets:)`; `fileError` for a missing file.
  public func uploadTask(
    with request: Request, fromFile file: URL, repeatsUnsafe: Bool = false,
    handler: ComponentName<BackgroundHandler>, includesSecrets: Bool = false
  ) async throws -> UploadTask<any Sendable> {
    var request = request
    request.body = try .file(file)
    let transfer = try await add(
      request, .upload(repeatsUnsafe: repeatsUnsafe), handler, includesSecrets: includesSecrets)
    return makeUpload(transfer)
  }

  /// Waits until all transfers have ended and their handlers have returned, or the session is closed.
  ///
  /// It also waits for suspended tasks, which somebody must resume or cancel. A handler must not call it: it would wait for its
  /// own return.
  ///
  /// - Throws: `CancellationError` when the waiting task is cancelled.
  public func finished() async throws {
    try await state.wait { state in state.isClosed || state.pending.isEmpty ? .success(()) : nil }
  }

  /// Stops the transfers, and leaves them to the next session with this identifier.
  ///
  /// Downloads keep their bytes. The tasks end as cancelled, but no handler is called. When this returns, another process can
  /// open the session. A handler that closes its session counts as returned, and is not called again.
  public func close() async {
    let (tasks, waiters) = state.withLock { state in
      state.isClosed = true
      defer { state.tasks = [:] }
      return (Array(state.tasks.values), state.waiters.takeAll())
    }
    for waiter in waiters { waiter.resume() }
    for task in tasks { task.cancel() }
    for task in tasks { await task.settled() }
    if let end = Self.delivered, end.session == ObjectIdentifier(self) {
      try? await journal.write(.delivered(end.number))
    }
    await journal.close()
  }

  /// The end that the current task's handler has been called with.
  @TaskLocal static var delivered: (session: ObjectIdentifier, number: Int)?

  private static func check(_ identifier: String) throws(NetworkError) {
    let isValid =
      (1...100).contains(identifier.utf8.count) && !identifier.hasPrefix(".")
      && identifier.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
    guard !isValid else { return }
    throw NetworkError(
      .invalidRequest, stage: .preparing,
      message: "\"\(identifier.prefix(100))\" cannot identify a background session.",
      advice: "Use up to 100 letters, digits, \"-\", \"_\" and \".\", and no \".\" at the start.")
  }
}
