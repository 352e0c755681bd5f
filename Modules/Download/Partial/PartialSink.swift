public import CurlewCore
import CurlewDigests
public import CurlewLoading
import CurlewStorage
import FoundationEssentials
import Glibc
import HTTPTypes

/// Stores a download in a partial file until it is complete, then publishes it.
///
/// The state survives the end of the process and the machine: another sink with the same target resumes with the stored bytes.
/// From the first `prepare` to `close`, it holds a lock that excludes other downloads from the target. Every call to the file
/// system runs on the thread of its `DownloadDisk`.
public actor PartialSink: TransferSink {
  /// The most restarts after useless ranges; a server may send them every time.
  private static let mostRestarts = 4

  nonisolated let target: DownloadTarget
  nonisolated let options: Options
  nonisolated let disk: DownloadDisk
  nonisolated private let facts = Guarded(DownloadState())
  nonisolated private let keepsPartial = Guarded(true)

  private var file: PartialFile?
  private var place: PartialPlace?
  /// The path of the file; nil until it is known.
  private var path: String?
  /// Whether only the owner may read the file that is about to be replaced.
  private var replacesPrivate = false
  private var asked: Int64?
  /// The URL of the request, and then the one that has answered.
  private var url = DownloadURL(URL(filePath: "/"))
  private var wantsWhole = false
  private var hasFreshLink = false
  private var restarts = 0
  /// The number of bytes that were free on the disk before the request.
  private var room: Int64 = 0
  /// The number of stored bytes that the download began with; nil before `prepare`.
  private var kept: Int64?
  private var verified: ExpectedDigest?
  private var calls = 0
  private var isClosed = false
  /// Whether the file is published, so nothing of this download is left to remove.
  private var isComplete = false
  private var closeWaiters: [CheckedContinuation<Void, Never>] = []

  /// Creates a sink, without touching the disk.
  public init(_ target: DownloadTarget, options: Options = Options(), on disk: DownloadDisk) {
    self.target = target
    self.options = options
    self.disk = disk
  }

  /// Returns `.streamed`, because people pause downloads.
  ///
  /// Over HTTP/2, each download therefore has its own connection.
  nonisolated public var delivery: ResponseDelivery? { .streamed }

  /// The current state of the download.
  nonisolated public var state: DownloadState { facts.withLock { $0 } }

  /// Returns the result of a download whose file is published.
  package func result(of result: TransferResult) throws -> DownloadResult {
    guard case .file(let path) = result.content else { throw CancellationError() }
    return DownloadResult(
      path: path, head: result.head, length: state.completed, resumedFrom: kept ?? 0, verified: verified)
  }

  /// Closes the sink at the end of its transfer, before the same target can be used again.
  nonisolated public var release: (@Sendable () async -> (any ResumableHandle)?)? {
    { await self.close(keeping: self.keepsPartial.withLock { $0 }) }
  }

  /// Makes the end of the transfer remove the stored bytes.
  nonisolated func dropPartial() { keepsPartial.withLock { $0 = false } }

  nonisolated func note(_ length: Int64) { facts.withLock { $0.completed = length } }

  /// Declares that the next request has a fresh link to the same file.
  ///
  /// A response with another file is then rejected.
  func expectFreshLink() { hasFreshLink = true }

  /// Whether a fresh link can be used: bytes are stored, or a response was accepted.
  var wasAccepted: Bool { file?.record != nil }

  // MARK: Before a request

  /// Returns the request for the missing bytes only, after taking the lock.
  ///
  /// - Throws: `NetworkError` of kind `targetInUse`, `targetExists`, `fileError` or `invalidRequest`.
  public func prepare(_ request: Request, _ attempt: AttemptContext) async throws -> Request {
    do {
      return try await prepared(request)
    } catch let error as NetworkError {
      throw error.naming(request)
    }
  }

  private func prepared(_ request: Request) async throws -> Request {
    try enter()
    defer { leave() }
    url = DownloadURL(request.url)
    let file = try await opened(request.url)
    room = try await onDisk { [disk] in try disk.files.availableBytes(file.place.data) }
    asked = request.method == .get && !wantsWhole ? point(file).offset : nil
    let prepared = try request.askingForRest(from: asked, file.record?.validator)
    if asked != nil, let expected = expected(file.record?.digest) { try await hash(file, expected) }
    return prepared
  }

  private func opened(_ url: URL) async throws -> PartialFile {
    if let file { return file }
    let syncInterval = options.syncInterval
    let (disk, target, options) = (disk, target, options)
    let (opened, path, isPrivate) = try await onDisk {
      let (place, path) = try target.place(for: url, collision: options.collision, in: disk.files)
      if options.createsDirectories { try disk.files.createDirectory(place.directory) }
      let replaced = options.collision == .replace ? try path.flatMap { try disk.files.status($0) } : nil
      let isPrivate = replaced.map { $0.permissions & 0o044 == 0 } ?? false
      do {
        return (try PartialFile(place, on: disk, syncInterval: syncInterval), path, isPrivate)
      } catch let error as JournalError {
        let hasDirectory = (try? disk.files.status(place.directory)) != nil
        throw DownloadError.disk(error, path ?? place.data, hasDirectory: hasDirectory)
      }
    }
    replacesPrivate = isPrivate
    file = opened
    place = opened.place
    self.path = self.path ?? path
    kept = kept ?? opened.length
    publishFacts(opened)
    return opened
  }

  private func point(_ file: PartialFile) -> ResumePoint {
    let record = file.record
    let isSame = record.map { $0.url == url.url && $0.query == url.query } ?? true
    let source: ResumePoint.Source =
      isSame ? .sameURL : hasFreshLink ? .freshLink : options.renewsLink ? .sameURL : .otherURL
    return ResumePoint(
      length: file.length, validator: record?.validator, lastModified: record?.lastModified, total: record?.total,
      digest: expected(record?.digest), source: source)
  }

  private func expected(_ recorded: String?) -> ExpectedDigest? {
    if let expected = options.verification.expected { return expected }
    return options.verification.usesFields ? recorded.flatMap { try? ExpectedDigest($0) } : nil
  }

  // MARK: The response

  /// Decides how to use the response, and prepares the partial file for its body.
  ///
  /// - Throws: `NetworkError`; the stored bytes are then unchanged.
  public func open(_ head: ResponseHead, _ attempt: AttemptContext) async throws -> any TransferWriter {
    try enter()
    do {
      return try await accept(head)
    } catch {
      leave()
      throw error
    }
  }

  private func accept(_ head: ResponseHead) async throws -> PartialWriter {
    guard let file else { throw CancellationError() }
    // A redirect may lead to another file than the last time.
    url = DownloadURL(head.url)
    let plan = ResumePlan(point(file), asked: asked, head)
    var base = file.length
    switch plan.action {
    case .refuse(let refusal): throw DownloadError.refused(refusal, head)
    case .restart(let reason):
      wantsWhole = true
      restarts += 1
      let error = DownloadError.useless(reason, head)
      throw restarts <= Self.mostRestarts ? error : error.with { $0.underlying = nil }
    case .startAnew: base = 0
    case .truncate(let length): base = length
    case .append, .complete: break
    }
    if let limit = options.sizeLimit, max(plan.total ?? 0, plan.end ?? 0) > limit {
      throw DownloadError.tooLarge(limit)
    }
    if plan.action == .startAnew, let whole = plan.total ?? plan.end, room < whole {
      // Truncating the stored bytes makes room for the new ones.
      let (all, overflow) = room.addingReportingOverflow(file.length)
      guard overflow || all >= whole else { throw DownloadError.noRoom(whole, room, file.place.data) }
    }
    if path == nil { path = try await free(target.choose(head)) }
    let digest =
      expected(plan.action == .startAnew ? nil : file.record?.digest) ?? fieldDigest(head, in: head.headerFields)
    wantsWhole = false
    hasFreshLink = false
    kept = min(kept ?? 0, base)
    let part = partDigest(head, in: head.headerFields, from: base)
    let writer = PartialWriter(file, plan, head, at: base, part: part, for: self)
    // Do not wait for the disk: the body arrives meanwhile, and the transport would have to buffer it.
    arrange(writer, digest)
    return writer
  }

  /// Returns a path unless it is taken, before the body is fetched; publishing the file checks it again.
  private func free(_ path: String) async throws -> String {
    // Otherwise the disk is not asked: the body must not wait for it.
    guard options.collision == .fail else { return path }
    let files = disk.files
    return try await onDisk {
      guard try files.linkStatus(path) == nil else { throw DownloadError.exists(path) }
      return path
    }
  }

  private func fieldDigest(_ head: ResponseHead, in fields: HTTPFields) -> ExpectedDigest? {
    options.verification.usesFields ? DigestFields.whole(head, in: fields) : nil
  }

  private func partDigest(_ head: ResponseHead, in fields: HTTPFields, from offset: Int64) -> PartDigest? {
    options.verification.usesFields ? PartDigest(DigestFields.part(head, in: fields), from: offset) : nil
  }

  /// Has the disk's thread make the partial file ready for a body.
  private func arrange(_ writer: PartialWriter, _ digest: ExpectedDigest?) {
    let (file, plan, base, path) = (writer.file, writer.plan, writer.offset, path)
    let (url, isPrivate) = (url, options.permissions != nil || replacesPrivate)
    writer.begin { [self] in
      let whole = plan.total ?? plan.end
      if plan.action == .startAnew {
        var record = PartialRecord(
          url, validator: plan.validator, lastModified: plan.lastModified, total: plan.total)
        record.digest = digest?.description
        try file.begin(record, isPrivate: isPrivate)
      } else {
        if isPrivate { try file.restrict() }
        try file.cut(to: base)
        try file.note { record in
          record.total = plan.total
          record.digest = digest?.description
          (record.url, record.query) = (url.url, url.query)
        }
      }
      if let digest, file.digest?.algorithm != digest.algorithm { file.digest = try RunningDigest(digest.algorithm) }
      if let whole, plan.action != .complete { try file.reserve(whole) }
      publishFacts(file, url, path)
    }
  }

  // MARK: The end of an attempt

  /// Verifies and publishes the file, or reports what is missing.
  func finish(_ writer: PartialWriter) async throws -> TransferContent {
    defer { leave() }
    try await writer.flush()
    let (file, isPart) = (writer.file, writer.head.status == .partialContent)
    if let end = writer.plan.end, file.length < end { throw Self.truncated(nil) }
    try await checkPart(writer)
    if file.length < writer.plan.total ?? (isPart ? .max : 0) {
      throw Self.truncated(isPart ? DownloadError.Unfinished() : nil)
    }
    try await verify(writer)
    if let path { try await announce(file, path, verified) }
    guard !Task.isCancelled, !isClosed, let path else { throw CancellationError() }
    let attributes = PartialFile.Attributes(
      permissions: options.permissions, modified: options.keepsModificationTime ? writer.head.lastModified : nil)
    let collision = options.collision
    // If only synchronizing the directory failed, the file has its name, and there is nothing to resume.
    defer {
      if file.isPublished {
        self.file = nil
        isComplete = true
      }
    }
    let published = try await onDisk {
      defer { if file.isPublished { file.close(keeping: true) } }
      return try file.publish(to: path, collision, attributes)
    }
    facts.withLock { state in
      state.path = published
      state.completed = file.length
      state.total = file.length
    }
    return .file(path: published)
  }

  private func checkPart(_ writer: PartialWriter) async throws {
    let (file, offset) = (writer.file, writer.offset)
    let late = writer.trailers.flatMap { partDigest(writer.head, in: $0, from: offset) }
    guard let part = writer.part ?? late else { return }
    while !(try await onDisk { try part.catchUp(file) }) { try Task.checkCancellation() }
    try await onDisk {
      let found = try part.finish()
      guard found != part.expected else { return }
      try file.cut(to: offset)
      throw DownloadError.mismatch(part.expected, found?.value.hexadecimal ?? "not known")
    }
  }

  private func verify(_ writer: PartialWriter) async throws {
    let file = writer.file
    let late = writer.trailers.flatMap { fieldDigest(writer.head, in: $0) }
    guard let expected = expected(file.record?.digest) ?? late else { return }
    try await hash(file, expected)
    let found = try await onDisk { try file.digest?.finish() ?? Data() }
    guard found != expected.value else {
      verified = expected
      return
    }
    // Do not keep wrong bytes. If they came in parts, one part may have belonged to another version.
    let isJoined = writer.offset > 0 && restarts < Self.mostRestarts
    if isJoined { restarts += 1 }
    self.file = nil
    try await onDisk { file.close(keeping: false) }
    kept = 0
    facts.withLock { $0.completed = 0 }
    throw DownloadError.mismatch(expected, found.hexadecimal).with { details in
      details.underlying = isJoined ? DownloadError.Useless(reason: .changed) : nil
    }
  }

  /// Keeps the received bytes of a body that ended early.
  func abandon(_ writer: PartialWriter) async {
    // Bytes that could not be written are requested again; the attempt fails with its own error.
    try? await writer.flush()
    let file = writer.file
    try? await onDisk { try file.makeDurable() }
    publishFacts(file)
    leave()
  }

  /// Ends the download: waits for running calls, and releases the lock.
  ///
  /// - Parameter keeps: Whether to keep bytes that another download can resume.
  /// - Returns: How to resume; nil if nothing is kept.
  @discardableResult
  public func close(keeping keeps: Bool) async -> ResumeHandle? {
    isClosed = true
    while calls > 0 { await withCheckedContinuation { closeWaiters.append($0) } }
    guard let file else {
      if !keeps { await discard() }
      return nil
    }
    self.file = nil
    let isKept = keeps && file.isResumable
    // Closing reports no errors.
    try? await onDisk { file.close(keeping: isKept) }
    publishFacts(file)
    return isKept ? ResumeHandle(state) : nil
  }

  /// Removes the bytes of this or an earlier sink, unless another one has the lock.
  func discard() async {
    guard isClosed, file == nil, !isComplete else { return }
    let syncInterval = options.syncInterval
    // Whoever has the lock decides about the bytes.
    try? await onDisk { [disk, target, place] in
      guard let place = try place ?? target.knownPlace(in: disk.files) else { return }
      let isThere =
        try Journal.isLeft(at: place.journal, in: disk.files) || disk.files.linkStatus(place.data) != nil
      if isThere { try PartialFile(place, on: disk, syncInterval: syncInterval).close(keeping: false) }
    }
    facts.withLock { $0.completed = 0 }
  }

  // MARK: Bookkeeping

  private func enter() throws {
    guard !isClosed else { throw CancellationError() }
    calls += 1
  }

  private func leave() {
    calls -= 1
    guard calls == 0 else { return }
    let waiters = closeWaiters
    closeWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  private func publishFacts(_ file: PartialFile) { publishFacts(file, url, path) }

  nonisolated private func publishFacts(_ file: PartialFile, _ url: DownloadURL, _ path: String?) {
    facts.withLock { state in
      state.url = file.record?.url ?? url.url
      state.path = path
      state.partialPath = file.place.data
      state.completed = file.length
      state.total = file.record?.total
      state.validator = file.record?.validator
    }
  }

  func onDisk<Output: Sendable>(_ body: @escaping @Sendable () throws -> Output) async throws -> Output {
    do {
      return try await disk.run(body)
    } catch {
      throw DownloadError.disk(error, file?.place.data ?? path)
    }
  }
}

extension PartialSink {
  /// Makes a digest cover all bytes of the file, reading those that it has not seen.
  func hash(_ file: PartialFile, _ expected: ExpectedDigest) async throws {
    while true {
      let isDone = try await onDisk {
        let digest =
          try file.digest.flatMap { $0.algorithm == expected.algorithm ? $0 : nil }
          ?? RunningDigest(expected.algorithm)
        file.digest = digest
        guard let open = file.file else { return true }
        return try digest.catchUp(open, to: file.length)
      }
      if isDone { return }
      try Task.checkCancellation()
    }
  }
}
