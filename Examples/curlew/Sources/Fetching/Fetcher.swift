import CurlewCore
import CurlewDownload
import CurlewLoading
import CurlewSerialization
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Fetches one URL after another over one loader.
final class Fetcher: Sendable {
  /// The options that all fetches share.
  struct Options: Sendable {
    /// Whether to write the head to standard output before the body.
    var printsHead = false
    /// The limit of a body in bytes; nil means none.
    var maxSize: Int64?
    /// Whether to hash bodies.
    var hashes = false
    /// Whether to keep the bytes of all failed downloads, also after a power failure, and not only of those that are cut off.
    var resumes = false
    /// Whether a body that goes into a file may be compressed on its way, so that what has arrived of it cannot be kept.
    var compressesFiles = false
    /// The digest that a file must have; nil verifies the server's digests.
    var checksum: ExpectedDigest?
    /// The retry policy; nil makes one attempt.
    var retry: RetryPolicy?
    /// Decodes the body into lines to print instead; nil prints the body.
    var decoder: (any ResponseSerializer<[DecodedLine]>)?
    /// Whether the body of a status of 400 or above is printed.
    var printsErrors = true
    /// Whether standard output is a terminal, where a body that is not text is refused and JSON is laid out.
    var isForTerminal = false
    /// What is printed after each transfer; nil for nothing.
    var writeOut: WriteOut?
    /// Is told, in a sentence, that another attempt will be made; nil for nobody.
    var announceRetry: (@Sendable (String) -> Void)?
  }

  let loader: Loader
  let options: Options
  let turns = OutputTurns()
  private let settings: @Sendable (Request) -> ExchangeSettings
  let names = NameTable()
  let disk = DownloadDisk()

  /// - Parameter settings: Returns the settings for a request's exchange.
  init(
    loader: Loader, options: Options = Options(), settings: @escaping @Sendable (Request) -> ExchangeSettings
  ) {
    self.loader = loader
    self.options = options
    self.settings = settings
  }

  /// Fetches one URL; the result includes a failure.
  func fetch(_ fetch: Fetch, meter: TransferMeter) async -> FetchResult {
    let redirects = RedirectCount()
    let begin = ContinuousClock.now
    let isDownload = isDownload(fetch)
    let result =
      isDownload
      ? await carryDownload(fetch, meter, redirects)
      : options.retry == nil ? await carry(fetch, meter, redirects) : await carryRetrying(fetch, meter, redirects)
    result.redirects = redirects.value
    result.lastRequest = redirects.request
    if result.attempts > 1 { result.failure?.attempts = result.attempts }
    // An error's body that was printed completely has a size and a digest, too.
    let isWhole = result.failure == nil || result.file != nil || result.digest != nil
    result.bytes = isWhole ? result.length ?? meter.completed : 0
    result.duration = begin.duration(to: .now)
    if let writeOut = options.writeOut, result.failure?.isCancelled != true {
      // Behind the body, before that of the next URL.
      if fetch.destination == .standardOutput { await turns.wait(for: fetch.index) }
      do {
        try writeOut.print(result)
      } catch {
        result.failure = result.failure ?? FetchFailure(error)
      }
    }
    await turns.done(fetch.index)
    return result
  }

  /// Whether what arrives of a body is kept for another run if it is cut off.
  ///
  /// Not without `--resume` where a part or a redirect itself is asked for, where the body may be compressed, or where a cache may answer.
  func isDownload(_ fetch: Fetch) -> Bool {
    if options.resumes || options.checksum != nil { return fetch.destination != .standardOutput }
    let own: [HTTPField.Name] = [.range, .ifRange, .acceptEncoding, .ifNoneMatch, .ifModifiedSince]
    return !options.compressesFiles && fetch.destination.isResumable && fetch.request.method == .get
      && fetch.request.body.isEmpty && fetch.request.options.redirectLimit != 0
      && !own.contains { fetch.request.headerFields[$0] != nil }
  }

  /// Fetches in one attempt.
  private func carry(_ fetch: Fetch, _ meter: TransferMeter, _ redirects: RedirectCount) async -> FetchResult {
    let result = FetchResult(fetch: fetch)
    let exchange = Exchange(settings(for: fetch.request, redirects))
    do {
      try await deliver(try await loader.load(fetch.request, in: exchange), meter, result)
    } catch {
      result.failure = FetchFailure(error)
    }
    result.metrics = exchange.metrics
    return result
  }

  /// Returns the settings for a request's exchange, with a redirect counter.
  func settings(for request: Request, _ redirects: RedirectCount) -> ExchangeSettings {
    var settings = settings(request)
    settings.observers.append(redirects)
    if let announce = options.announceRetry { settings.observers.append(RetryNotice(request, announce)) }
    return settings
  }

  /// Writes or prints a response.
  func deliver(_ response: Response, _ meter: TransferMeter, _ result: FetchResult) async throws {
    let destination = result.fetch.destination
    let isRefused = response.head.status.code >= 400
    result.head = response.head
    if options.printsHead || destination == .standardOutput { await turns.wait(for: result.fetch.index) }
    try begin(response, meter)
    if destination == .standardOutput, !isRefused || options.printsErrors {
      result.digest = try await print(response, meter, result)
    } else if isRefused {
      await response.body.discard()
    } else if let path = try path(for: response, to: result.fetch) {
      result.digest = try await store(response.body, in: TargetFile(path), meter, result)
    }
    if isRefused {
      throw FetchFailure(status: response.head, to: result.fetch.request, result.bodyStart)
    }
  }

  /// Prints the head if requested, and refuses a response above the size limit.
  private func begin(_ response: Response, _ meter: TransferMeter) throws {
    let head = response.head
    if options.printsHead { try head.printed.withUnsafeBytes { try StandardOutput.write($0) } }
    if let maxSize = options.maxSize, let expected = head.expectedLength, expected > maxSize {
      throw BodyConsumer.tooLarge(maxSize)
    }
    meter.begin(expecting: head.expectedLength)
  }

  /// Opens the file for a body; nil for standard output.
  private func path(for response: Response, to fetch: Fetch) throws -> String? {
    switch fetch.destination {
    case .standardOutput: return nil
    case .file(let path): return path
    case .directory(let directory):
      try LocalFileSystem().createDirectory(directory)
      return try path(in: directory, for: fetch, response.head)
    }
  }

  /// Returns the path of a file in a directory.
  ///
  /// - Throws: `FetchFailure` if only the server gives the name, and a file has it: a server must not choose what is replaced.
  func path(in directory: String, for fetch: Fetch, _ head: ResponseHead) throws -> String {
    let name = fetch.fileName(head)
    let path = names.path(in: directory, for: name)
    let own = SuggestedFileName(disposition: nil, url: fetch.request.url, mediaType: nil).value
    guard fetch.willPublish == nil, name != own, try LocalFileSystem().linkStatus(path) != nil else { return path }
    var failure = FetchFailure(
      kind: NetworkError.Kind.targetExists.rawValue, stage: .writing,
      message: "\(path), the name that the server gives, is there already.")
    failure.ownAdvice = "remove it, or give a name with -o"
    throw failure
  }

  private func print(_ response: Response, _ meter: TransferMeter, _ result: FetchResult) async throws -> String? {
    if let decoder = options.decoder { return try await printDecoded(response, decoder, meter, result) }
    let printer = BodyPrinter(response.head, isForTerminal: options.isForTerminal)
    let consumer = try BodyConsumer(meter: meter, limit: options.maxSize, hashing: options.hashes) { bytes in
      try printer.write(bytes)
    }
    do {
      try await pull(response.body, into: consumer)
    } catch {
      // The reason why the body is incomplete says more than an output that fails, too.
      try? printer.end(isComplete: false)
      throw error
    }
    try printer.end(isComplete: true)
    result.bodyStart = printer.start
    return try consumer.finish()
  }

  /// Prints the decoded body of a response.
  ///
  /// The body of an error that cannot be decoded is printed unchanged, because it explains the error.
  private func printDecoded(
    _ response: Response, _ decoder: any ResponseSerializer<[DecodedLine]>, _ meter: TransferMeter,
    _ result: FetchResult
  ) async throws -> String? {
    let body = Mutex(Data())
    let limit = options.maxSize ?? Int64(decoder.validation.maximumBytes)
    let consumer = try BodyConsumer(meter: meter, limit: limit, hashing: options.hashes) { bytes in
      body.withLock { $0.append(contentsOf: bytes) }
    }
    try await pull(response.body, into: consumer)
    let document = body.withLock { $0 }
    result.bodyStart = document.prefix(BodyPrinter.startBytes)
    do {
      for line in try decoder.lines(of: response.head, document) { try line.print(layout: .ofTerminal) }
    } catch {
      guard response.head.status.code >= 400 else { throw error }
      // Safe because the bytes do not escape the closure.
      try document.withUnsafeBytes { try StandardOutput.write($0) }
    }
    return try consumer.finish()
  }

  private func store(
    _ body: ResponseBody, in file: TargetFile, _ meter: TransferMeter, _ result: FetchResult
  ) async throws -> String? {
    let consumer = try BodyConsumer(meter: meter, limit: options.maxSize, hashing: options.hashes) { bytes in
      try file.write(bytes)
    }
    do {
      // Writing to a pipe can block until its reader reads, and the transport's thread must not block.
      if file.isSpecial { try await pull(body, into: consumer) } else { try await body.drain(into: consumer) }
      try file.publish()
    } catch let error as FileSystemError {
      file.discard()
      // Not the name that the file has while it is written.
      throw FileSystemError(code: error.code, operation: "write", path: file.path)
    } catch {
      file.discard()
      throw error
    }
    result.file = file.path
    return try consumer.finish()
  }

  private func pull(_ body: ResponseBody, into consumer: BodyConsumer) async throws {
    for try await chunk in body {
      try chunk.withUnsafeBytes { bytes in _ = try consumer.receive(bytes) }
    }
  }
}

extension ResponseSerializer<[DecodedLine]> {
  /// Returns the lines to print for a response.
  ///
  /// - Throws: `FetchFailure`, with line and column if they are known.
  fileprivate func lines(of head: ResponseHead, _ body: Data) throws -> [DecodedLine] {
    // The caller handles the status; the body of a failed response is decoded as well.
    do {
      return try output(of: head, body)
    } catch {
      let cause = error.details.underlying.map { "The body cannot be decoded: \($0)." }
      var failure = FetchFailure(kind: error.kind.rawValue, stage: .decoding, message: cause ?? error.message)
      failure.sharedAdvice = error.advice
      throw failure
    }
  }
}
